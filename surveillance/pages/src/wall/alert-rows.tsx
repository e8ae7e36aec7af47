import type { Alert } from '../../../floor/api-records.js';
import { tableKey } from '../../../floor/api.js';
import { Shape } from '../frame.js';
import { ageText, clauseText, levelText, plural, severityMark, timeText } from '../words.js';
import { Acknowledge } from './acknowledge.js';
import { EvidenceLink } from './evidence.js';
import { rowOfFinding } from './proof.js';
import { tableHash } from './route.js';
import { Age } from './tile.js';

/** `2026-11-29 14:03:12`, UTC. */
export const dateTimeText = (wallMs: number): string =>
  `${new Date(wallMs).toISOString().slice(0, 10)} ${timeText(wallMs)}`;

const State = ({ alert }: { readonly alert: Alert }) => {
  const { cleared } = alert;
  if (cleared !== null) {
    return (
      <>
        Cleared after {ageText(cleared.atMs - alert.raisedMs)}
        <span class="under">
          {cleared.by}: {cleared.how}
        </span>
      </>
    );
  }
  return (
    <>
      <b>
        Open <Age sinceMs={alert.raisedMs} />
      </b>
      {alert.escalation > 0 && <span class="under level">▲ {levelText(alert.escalation)}</span>}
      {alert.acknowledgedAtTable !== null && (
        <span class="under">At the table: {alert.acknowledgedAtTable}</span>
      )}
    </>
  );
};

interface RowProps {
  readonly alert: Alert;
  readonly done: (alert: Alert) => void;
}

const AlertRow = ({ alert, done }: RowProps) => {
  const mark = severityMark(alert.severity);
  const isOpen = alert.cleared === null;
  return (
    <tr class={isOpen ? `open severity-${alert.severity}` : 'over'}>
      <td>
        <span class="severity">
          <Shape mark={mark} /> {mark.word}
        </span>
      </td>
      <th scope="row">
        <a href={tableHash(alert.table, null, alert.raisedSeq)}>{alert.table.table}</a>
        <span class="under">
          {alert.table.pit}
          {alert.shoe !== null && ` · shoe ${alert.shoe}, round ${alert.round ?? '?'}`}
        </span>
      </th>
      <td>
        <b>{alert.code}</b> <span class="clause">{clauseText(alert.clause)}</span>
        <span class="under">
          {alert.observed}
          {alert.dealer !== null && ` · dealer ${alert.dealer}`}
        </span>
        {alert.cardsAfterWarning > 0 && (
          <span class="under after">
            {plural(alert.cardsAfterWarning, 'card')} after the warning, the last after{' '}
            {ageText(alert.timeToStopMs)}
          </span>
        )}
      </td>
      <td>
        <time>{dateTimeText(alert.raisedMs)}</time>
      </td>
      <td>
        <State alert={alert} />
      </td>
      <td>
        {isOpen || alert.acknowledged !== null ? (
          <Acknowledge
            table={tableKey(alert.table)}
            id={alert.id}
            code={alert.code}
            acknowledged={alert.acknowledged}
            done={done}
          />
        ) : (
          <span class="none">Nobody, before it was cleared</span>
        )}
      </td>
      <td class="for-screen">
        <EvidenceLink
          id={alert.table}
          of={{ finding: alert.id }}
          about={`${alert.code} at ${tableKey(alert.table)}`}
          row={rowOfFinding(alert.id)}
        />
      </td>
    </tr>
  );
};

interface RowsProps {
  readonly caption: string;
  readonly alerts: readonly Alert[];
  readonly done: (alert: Alert) => void;
}

/** Findings as a table: on the alert list, and on the hand-over list. */
export const AlertRows = ({ caption, alerts, done }: RowsProps) => (
  <div class="table-scroll" tabIndex={0} role="region" aria-label={caption}>
    <table class="alerts">
      <caption class="unheard">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Severity</th>
          <th scope="col">Table</th>
          <th scope="col">Finding</th>
          <th scope="col">Raised (UTC)</th>
          <th scope="col">State</th>
          <th scope="col">Acknowledged</th>
          <th scope="col" class="for-screen">
            Evidence
          </th>
        </tr>
      </thead>
      <tbody>
        {alerts.map((alert) => (
          <AlertRow key={`${tableKey(alert.table)} ${alert.id}`} alert={alert} done={done} />
        ))}
      </tbody>
    </table>
  </div>
);
