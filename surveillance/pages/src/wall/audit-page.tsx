import { useState } from 'preact/hooks';
import type { AuditLine } from '../../../floor/api-records.js';
import { PATHS } from '../../../floor/api.js';
import { dateTimeText } from './alert-rows.js';
import { useAsked } from './ask.js';
import { Pager } from './pager.js';
import { queryOf } from './route.js';
import { isAuditPage } from './shapes.js';

const Lines = ({ lines }: { readonly lines: readonly AuditLine[] }) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label="Audit trail">
    <table>
      <caption class="unheard">Audit trail</caption>
      <thead>
        <tr>
          <th scope="col">When (UTC)</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">About</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => (
          <tr key={line.id}>
            <td>
              <time>{dateTimeText(line.atMs)}</time>
            </td>
            <td>{line.who}</td>
            <td>{line.what}</td>
            <td>{line.about}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** Who did what: every login, acknowledgement, evidence file, report and refusal. */
export const AuditPage = () => {
  const [who, setWho] = useState('');
  const [what, setWhat] = useState('');
  const [before, setBefore] = useState<readonly string[]>([]);
  const query = queryOf({ who, what, before: before.at(-1) ?? '' });
  const { value, error } = useAsked(`${PATHS.audit}?${query}`, isAuditPage);
  const next = value?.next ?? null;
  const field = (name: string, text: string, set: (text: string) => void) => (
    <label>
      {name}
      <input
        type="search"
        value={text}
        onChange={({ currentTarget }) => {
          setBefore([]);
          set(currentTarget.value.trim());
        }}
      />
    </label>
  );
  return (
    <main id="main" class="desk" tabIndex={-1}>
      <h1>Audit trail</h1>
      <form
        class="filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        {field('Who', who, setWho)}
        {field('What', what, setWhat)}
      </form>
      {error !== '' && (
        <p class="refused" role="alert">
          {error}
        </p>
      )}
      <Lines lines={value?.lines ?? []} />
      {value?.lines.length === 0 && (
        <p class="none">
          {who === '' && what === ''
            ? 'Nothing is written down yet: no login, acknowledgement, evidence, report, refusal.'
            : 'No line passes this filter: who and what are compared whole, as a line has them.'}
        </p>
      )}
      <Pager before={before} next={next === null ? null : String(next)} go={setBefore} />
    </main>
  );
};
