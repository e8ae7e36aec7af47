import type { PageDuty } from '../../table-page/message.js';
import { Shape } from './frame.js';
import { ScrollBox } from './scroll-box.js';
import { clauseText, dutyMark, EVIDENCE_WORDS, plainWord, watchedFirst } from './words.js';

const DutyRow = ({ duty }: { readonly duty: PageDuty }) => {
  const mark = dutyMark(duty);
  const isOpen = duty.status === 'due' && duty.isWatched;
  return (
    <tr>
      <th scope="row">
        {plainWord(duty.duty)}
        <span class="under">
          <span class="clause">{clauseText(duty.clause)}</span>
          {duty.detail !== '' && <span class="detail">{duty.detail}</span>}
        </span>
      </th>
      <td>
        <span class="status">
          <Shape mark={mark} />
          {mark.word}
        </span>
        {!isOpen && (
          <span class={`evidence evidence-${duty.evidence}`} title={EVIDENCE_WORDS[duty.evidence]}>
            {duty.evidence}
          </span>
        )}
      </td>
    </tr>
  );
};

/** What the clauses demand of this shoe, and how it is known that it was done. */
export const Duties = ({ duties }: { readonly duties: readonly PageDuty[] }) => (
  <section class="panel duties" aria-labelledby="duties-title">
    <h2 id="duties-title">Duties of this shoe</h2>
    <ScrollBox labelledBy="duties-title">
      {duties.length === 0 ? (
        <p class="none">None yet.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Duty</th>
              <th scope="col">State, evidence</th>
            </tr>
          </thead>
          <tbody>
            {watchedFirst(duties).map((duty) => (
              <DutyRow key={duty.duty} duty={duty} />
            ))}
          </tbody>
        </table>
      )}
    </ScrollBox>
  </section>
);
