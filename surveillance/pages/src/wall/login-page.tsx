import { useEffect, useRef, useState } from 'preact/hooks';
import { isWhoView, type WhoView } from '../../../access/who-view.js';
import type { LoginRequest } from '../../../floor/api-records.js';
import { PATHS } from '../../../floor/api.js';
import { ask } from './ask.js';

interface LoginProps {
  readonly enter: (me: WhoView) => void;
  /** Why somebody who was inside is here again; empty at the first time. */
  readonly why: string;
}

const textOf = (form: FormData, name: string): string => {
  const value = form.get(name);
  return typeof value === 'string' ? value : '';
};

/** Name and password. Sent by script: the pages let no form be sent anywhere by itself. */
export const LoginPage = ({ enter, why }: LoginProps) => {
  const [error, setError] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = 'Log in · Cutcard floor';
    name.current?.focus();
  }, []);
  const send = async (form: HTMLFormElement): Promise<void> => {
    const fields = new FormData(form);
    const body: LoginRequest = {
      name: textOf(fields, 'name').trim(),
      password: textOf(fields, 'password'),
    };
    setIsAsking(true);
    const answer = await ask(PATHS.login, isWhoView, { method: 'POST', body });
    setIsAsking(false);
    if (answer.ok) {
      enter(answer.value);
      return;
    }
    setError(answer.error);
    const password = form.elements.namedItem('password');
    if (password instanceof HTMLInputElement) {
      password.value = '';
      password.focus();
    }
  };
  return (
    <main id="main" class="login">
      <form
        class="panel"
        aria-labelledby="login-title"
        onSubmit={(event) => {
          event.preventDefault();
          void send(event.currentTarget);
        }}
      >
        <h1 id="login-title">Cutcard floor</h1>
        <p class="none">{why === '' ? 'Log in to see the tables.' : why}</p>
        <label>
          Name
          <input ref={name} name="name" autocomplete="username" required maxLength={64} />
        </label>
        <label>
          Password
          <input
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxLength={256}
          />
        </label>
        {error !== '' && (
          <p class="refused" role="alert">
            {error}
          </p>
        )}
        <button type="submit" class="main-button" disabled={isAsking}>
          {isAsking ? 'Asking…' : 'Log in'}
        </button>
      </form>
    </main>
  );
};
