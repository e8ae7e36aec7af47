import { useState } from 'preact/hooks';
import type { Handover, NoteRequest } from '../../../floor/api-records.js';
import { LIMITS, PATHS, type Tile } from '../../../floor/api.js';
import { AlertRows, dateTimeText } from './alert-rows.js';
import { ask, useAsked } from './ask.js';
import { useFloor } from './floor-context.js';
import { numberOf, tableHash } from './route.js';
import { isHandover, isNote } from './shapes.js';
import { degradedText, linkText } from './tile-words.js';

const HOUR_MS = 3_600_000;
const CHOICES = [4, 8, 10, 12, 24] as const;
const USUAL_HOURS = 8;

const TableList = ({
  title,
  tiles,
  text,
}: {
  readonly title: string;
  readonly tiles: readonly Tile[];
  readonly text: (tile: Tile) => string;
}) => (
  <section class="panel" aria-label={title}>
    <h2>
      {title} <span class="number">{tiles.length}</span>
    </h2>
    {tiles.length === 0 && <p class="none">None.</p>}
    <ul class="plain-list">
      {tiles.map((tile) => (
        <li key={tile.key}>
          <a href={tableHash(tile.id)}>{tile.id.table}</a> {tile.id.pit} · {text(tile)}
        </li>
      ))}
    </ul>
  </section>
);

interface NotesProps {
  readonly notes: Handover['notes'];
  readonly again: () => void;
}

const Notes = ({ notes, again }: NotesProps) => {
  const [text, setText] = useState('');
  const [error, setError] = useState('');
  const send = async (): Promise<void> => {
    const body: NoteRequest = { text: text.trim() };
    const answer = await ask(PATHS.notes, isNote, { method: 'POST', body });
    setError(answer.ok ? '' : answer.error);
    if (!answer.ok) return;
    setText('');
    again();
  };
  return (
    <section class="panel" aria-labelledby="notes-title">
      <h2 id="notes-title">
        Notes <span class="number">{notes.length}</span>
      </h2>
      <ul class="plain-list">
        {notes.map((note) => (
          <li key={note.id}>
            <b>{note.by}</b>, <time>{dateTimeText(note.atMs)}</time>
            {note.table !== null && ` · ${note.table}`}: {note.text}
          </li>
        ))}
      </ul>
      <form
        class="note-form for-screen"
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <label>
          <span class="unheard">Note for the next shift</span>
          <textarea
            rows={2}
            required
            placeholder="note for the next shift"
            maxLength={LIMITS.note}
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value);
            }}
          />
        </label>
        <button type="submit">Add note</button>
      </form>
      {error !== '' && <p class="refused">{error}</p>}
    </section>
  );
};

const Lists = ({ value, again }: { readonly value: Handover; readonly again: () => void }) => (
  <>
    <section aria-labelledby="open-title">
      <h2 id="open-title">
        Open <span class="number">{value.open.length}</span>
      </h2>
      <AlertRows caption="Open findings" alerts={value.open} done={again} />
    </section>
    <div class="table-under">
      <TableList
        title="Tables not heard"
        tiles={value.tablesNotHeard}
        text={(tile) => linkText(tile, value.atMs)}
      />
      <TableList
        title="Tables degraded"
        tiles={value.tablesDegraded}
        text={({ degraded }) => degraded.map(degradedText).join(', ')}
      />
      <Notes notes={value.notes} again={again} />
    </div>
    <section aria-labelledby="dealt-title">
      <h2 id="dealt-title">
        Dealt with in this shift <span class="number">{value.dealtWith.length}</span>
      </h2>
      <AlertRows caption="Findings dealt with" alerts={value.dealtWith} done={again} />
    </section>
  </>
);

/** What the next shift has to know; made to be printed. */
export const HandoverPage = () => {
  const { me, store } = useFloor();
  const [hours, setHours] = useState(USUAL_HOURS);
  // Asked for once a choice, not once a second: a list that is read must stand still.
  const [openedMs] = useState(() => (store.state.atMs === 0 ? Date.now() : store.state.atMs));
  const since = openedMs - hours * HOUR_MS;
  const { value, error, again } = useAsked(`${PATHS.handover}?since=${since}`, isHandover);
  return (
    <main id="main" class="desk handover" tabIndex={-1}>
      <div class="desk-bar">
        <h1>Shift hand-over</h1>
        <label class="for-screen">
          Shift of{' '}
          <select
            value={String(hours)}
            onChange={({ currentTarget }) => {
              setHours(numberOf(currentTarget.value) ?? USUAL_HOURS);
            }}
          >
            {CHOICES.map((choice) => (
              <option key={choice} value={String(choice)}>
                {choice} hours
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="for-screen" onClick={again}>
          Renew
        </button>
        <button
          type="button"
          class="for-screen"
          onClick={() => {
            window.print();
          }}
        >
          Print
        </button>
      </div>
      {error !== '' && (
        <p class="refused" role="alert">
          {error}
        </p>
      )}
      {value !== null && (
        <>
          <p class="none">
            From {dateTimeText(value.sinceMs)} to {dateTimeText(value.atMs)} UTC, made by {me.name}
          </p>
          <Lists value={value} again={again} />
        </>
      )}
    </main>
  );
};
