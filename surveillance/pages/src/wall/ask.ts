import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { OWN_HEADER } from '../../../access/same-origin.js';
import { isWhoView, type WhoView } from '../../../access/who-view.js';
import { PATHS } from '../../../floor/api.js';
import { isApiError } from '../../../floor/api-records.js';

/** A question that is not answered within this is given up, ms. */
const PATIENCE_MS = 20_000;

export type Answer<T> =
  | { readonly ok: true; readonly value: T }
  /** `status` 0: the service was not reached. `error` says in words what and what to do. */
  | { readonly ok: false; readonly status: number; readonly error: string };

interface Message {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
}

const UNREACHED = 'The floor service does not answer. Look at the line to it; then try again.';

const errorOf = async (response: Response): Promise<string> => {
  try {
    const body: unknown = await response.json();
    if (isApiError(body)) return body.error;
  } catch {
    // No JSON: what stands between here and the service answered.
  }
  return `The floor service answered ${response.status} ${response.statusText}`.trim();
};

/** Called when the service knows nobody any more: the session is over. */
let onLoggedOut: () => void = () => undefined;
export const whenLoggedOut = (call: () => void): void => {
  onLoggedOut = call;
};

/** Asks the service; never throws. An answer that is not of the shape asked for is an error. */
export const ask = async <T>(
  address: string,
  isRight: (value: unknown) => value is T,
  { method = 'GET', body }: Message = {},
): Promise<Answer<T>> => {
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: {
        [OWN_HEADER]: '1',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
  } catch {
    return { ok: false, status: 0, error: UNREACHED };
  }
  if (!response.ok) {
    const error = await errorOf(response);
    if (response.status === 401) onLoggedOut();
    return { ok: false, status: response.status, error };
  }
  try {
    const value: unknown = response.status === 204 ? null : await response.json();
    if (isRight(value)) return { ok: true, value };
  } catch {
    // The line was cut in the middle of the answer.
  }
  const error = 'The answer of the floor service is not what this page expects. Reload the page.';
  return { ok: false, status: response.status, error };
};

const isWhoOrNobody = (value: unknown): value is WhoView | null =>
  value === null || isWhoView(value);

/** Who is logged in; null: nobody, and the pages are told so. */
export const askMe = async (): Promise<Answer<WhoView | null>> => {
  const answer = await ask(PATHS.me, isWhoOrNobody);
  if (answer.ok && answer.value === null) onLoggedOut();
  return answer;
};

export interface Asked<T> {
  /** The newest answer; null before the first. It stays while a newer one is asked for. */
  readonly value: T | null;
  /** Why the newest question was not answered; empty where it was. */
  readonly error: string;
  readonly isAsking: boolean;
  /** Asks anew. */
  readonly again: () => void;
}

/**
 * What the service says to `address`, asked anew whenever the address or `cause` changes, every
 * `everyMs` (0: never), and when `again` is called. An address that is null asks nothing.
 */
export const useAsked = <T>(
  address: string | null,
  isRight: (value: unknown) => value is T,
  everyMs = 0,
  cause = '',
): Asked<T> => {
  const [state, setState] = useState<{ of: string | null; value: T | null; error: string }>({
    of: address,
    value: null,
    error: '',
  });
  const [isAsking, setIsAsking] = useState(address !== null);
  const [turn, setTurn] = useState(0);
  const guard = useRef(isRight);
  useEffect(() => {
    if (address === null) return undefined;
    const round = { isOver: false };
    const once = async (): Promise<void> => {
      setIsAsking(true);
      const answer = await ask(address, guard.current);
      if (round.isOver) return;
      setIsAsking(false);
      setState((last) =>
        answer.ok
          ? { of: address, value: answer.value, error: '' }
          : { of: address, value: last.of === address ? last.value : null, error: answer.error },
      );
    };
    void once();
    const timer = everyMs === 0 ? undefined : window.setInterval(() => void once(), everyMs);
    return () => {
      round.isOver = true;
      window.clearInterval(timer);
    };
  }, [address, everyMs, turn, cause]);
  const again = useCallback(() => {
    setTurn((n) => n + 1);
  }, []);
  const isOfThis = state.of === address;
  return {
    value: isOfThis ? state.value : null,
    error: isOfThis ? state.error : '',
    isAsking,
    again,
  };
};
