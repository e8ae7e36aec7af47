import { useEffect, useRef, useState } from 'preact/hooks';
import type { AcknowledgeRequest, Alert } from '../../../floor/api-records.js';
import { type Acknowledgement, LIMITS, PATHS } from '../../../floor/api.js';
import { timeText } from '../words.js';
import { ask } from './ask.js';
import { useFloor } from './floor-context.js';
import { isAlert } from './shapes.js';

export const WHY_NOT = 'Acknowledging takes the role operator.';

/** Whether whoever is logged in may acknowledge. */
export const useMayAcknowledge = (): boolean => useFloor().me.roles.includes('operator');

interface DialogProps {
  /** `site/pit/table` and id of the finding. */
  readonly table: string;
  readonly id: string;
  readonly code: string;
  readonly close: (done: Alert | null) => void;
}

const Dialog = ({ table, id, code, close }: DialogProps) => {
  const { me } = useFloor();
  const [error, setError] = useState('');
  const dialog = useRef<HTMLDialogElement>(null);
  const note = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    note.current?.focus();
  }, []);
  const send = async (): Promise<void> => {
    const body: AcknowledgeRequest = { table, id, note: note.current?.value.trim() ?? '' };
    const answer = await ask(PATHS.acknowledge, isAlert, { method: 'POST', body });
    if (answer.ok) close(answer.value);
    else setError(answer.error);
  };
  return (
    <dialog
      ref={dialog}
      class="panel"
      aria-labelledby="acknowledge-title"
      onClose={() => {
        close(null);
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <h2 id="acknowledge-title">
          Acknowledge {code} at {table}
        </h2>
        <label>
          Note
          <textarea ref={note} rows={3} maxLength={LIMITS.note} />
        </label>
        <p class="none">
          It is kept under the name {me.name}. The finding stays open until the table clears it.
        </p>
        {error !== '' && (
          <p class="refused" role="alert">
            {error}
          </p>
        )}
        <p class="buttons">
          <button type="submit" class="main-button">
            Acknowledge
          </button>
          <button
            type="button"
            onClick={() => {
              dialog.current?.close();
            }}
          >
            Cancel
          </button>
        </p>
      </form>
    </dialog>
  );
};

interface AcknowledgeProps {
  readonly table: string;
  readonly id: string;
  readonly code: string;
  readonly acknowledged: Acknowledgement | null;
  readonly done: (alert: Alert) => void;
}

/** Who acknowledged a finding, or the way to do it; whoever may not is told why. */
export const Acknowledge = ({ table, id, code, acknowledged, done }: AcknowledgeProps) => {
  const [isOpen, setIsOpen] = useState(false);
  const mayAcknowledge = useMayAcknowledge();
  if (acknowledged !== null) {
    return (
      <span class="acknowledged">
        ✓ {acknowledged.by}, {timeText(acknowledged.atMs)}
        {acknowledged.note !== '' && <q>{acknowledged.note}</q>}
      </span>
    );
  }
  if (!mayAcknowledge) {
    return <span class="may-not">Not acknowledged. {WHY_NOT}</span>;
  }
  return (
    <>
      <button
        type="button"
        onClick={() => {
          setIsOpen(true);
        }}
      >
        Acknowledge
        <span class="unheard">
          {' '}
          {code} at {table}
        </span>
      </button>
      {isOpen && (
        <Dialog
          table={table}
          id={id}
          code={code}
          close={(alert) => {
            setIsOpen(false);
            if (alert !== null) done(alert);
          }}
        />
      )}
    </>
  );
};
