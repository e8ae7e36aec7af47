import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import {
  isTechReport,
  type Seen,
  type TechCheck,
  type TechDevice,
  type TechLine,
  type TechRegister,
  type TechReport,
  type TechStream,
} from '../../table-page/technician.js';
import { Shape } from './frame.js';
import { ScrollBox } from './scroll-box.js';
import { ask, errorText } from './service.js';
import { ageText, type Mark, plainWord } from './words.js';

const LOOK_MS = 1000;
/** After so long without an answer the page says what may be the matter, ms. */
const LATE_MS = 5000;

interface Look {
  readonly report: TechReport | null;
  readonly error: string;
  /** The first question is not answered for a while. */
  readonly isLate: boolean;
}

/** Whoever may not look is told once: each further question would be one more refusal on record. */
const FORBIDDEN = 403;

const SILENT =
  'The table does not answer: the controller is busy or stopped, or the line to it is cut. ' +
  'This page goes on asking.';

/** The inside of the table, looked at once a second while the page is open. */
const useReport = (): Look => {
  const [look, setLook] = useState<Look>({ report: null, error: '', isLate: false });
  useEffect(() => {
    const round = { isOver: false, isAsking: false };
    const once = async (): Promise<void> => {
      if (round.isAsking) return;
      round.isAsking = true;
      const answer = await ask('/api/technician');
      round.isAsking = false;
      if (round.isOver) return;
      if (answer.status === FORBIDDEN) window.clearInterval(timer);
      setLook(({ report }) =>
        isTechReport(answer.body)
          ? { report: answer.body, error: '', isLate: false }
          : { report, error: errorText(answer, SILENT), isLate: false },
      );
    };
    const timer = window.setInterval(() => void once(), LOOK_MS);
    void once();
    const late = window.setTimeout(() => {
      setLook((before) => ({ ...before, isLate: before.report === null && before.error === '' }));
    }, LATE_MS);
    return () => {
      round.isOver = true;
      window.clearTimeout(late);
      window.clearInterval(timer);
    };
  }, []);
  return look;
};

const STATE_MARKS: Readonly<Record<string, Mark>> = {
  up: { tone: 'go', shape: 'circle', word: 'Up' },
  opening: { tone: 'attend', shape: 'triangle', word: 'Opening' },
  stale: { tone: 'attend', shape: 'triangle', word: 'Silent' },
  lost: { tone: 'stop', shape: 'square', word: 'Lost' },
  closed: { tone: 'still', shape: 'bar', word: 'Closed' },
};
const unknownState: Mark = { tone: 'still', shape: 'bar', word: 'Not known' };

const CHECK_MARKS: Readonly<Record<TechCheck['level'], Mark>> = {
  ok: { tone: 'go', shape: 'circle', word: 'Good' },
  warn: { tone: 'attend', shape: 'triangle', word: 'Warning' },
  fail: { tone: 'stop', shape: 'square', word: 'Fault' },
};

const State = ({ mark }: { readonly mark: Mark }) => (
  <span class="status">
    <Shape mark={mark} />
    {mark.word}
  </span>
);

/** A value or an error with its age. */
const SeenText = <T extends string>({ seen }: { readonly seen: Seen<T> | null }) =>
  seen === null ? (
    <span class="none">none</span>
  ) : (
    <>
      {seen.value} <span class="soft-age">{ageText(seen.agoMs)} ago</span>
    </>
  );

interface SectionProps {
  readonly id: string;
  readonly title: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}

const Section = ({ id, title, heads, children }: SectionProps) => (
  <section class="panel tech" aria-labelledby={id}>
    <h2 id={id}>{title}</h2>
    <ScrollBox labelledBy={id}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </ScrollBox>
  </section>
);

interface CellProps {
  /** Its column, which a narrow window shows beside it. */
  readonly head: string;
  readonly isBytes?: boolean;
  readonly children: ComponentChildren;
}

const Cell = ({ head, isBytes = false, children }: CellProps) => (
  <td data-head={head} class={isBytes ? 'bytes' : undefined}>
    <div>{children}</div>
  </td>
);

const levelOf = ({ level }: TechLine): Seen<string> | null =>
  level === null ? null : { value: level.value ? 'active' : 'idle', agoMs: level.agoMs };

const LineRow = ({ line }: { readonly line: TechLine }) => (
  <tr>
    <th scope="row">
      {line.name}
      <span class="under">
        {line.direction === 'in' ? 'input' : 'output'}, {line.place}
      </span>
    </th>
    <Cell head="Level">
      <SeenText seen={levelOf(line)} />
    </Cell>
    <Cell head="Changes">{line.changes}</Cell>
    <Cell head="Last error">
      <SeenText seen={line.error} />
    </Cell>
  </tr>
);

const RegisterRow = ({ register }: { readonly register: TechRegister }) => (
  <tr>
    <th scope="row">
      {register.device === '' ? register.address : register.device} {register.register}
      <span class="under">
        {register.bus} {register.address}
      </span>
    </th>
    <Cell head="Bytes" isBytes>
      <SeenText seen={register.bytes} />
    </Cell>
    <Cell head="Last error">
      <SeenText seen={register.error} />
    </Cell>
  </tr>
);

const StreamRow = ({ stream }: { readonly stream: TechStream }) => (
  <tr>
    <th scope="row">
      {stream.name}
      <span class="under">{stream.device}</span>
    </th>
    <Cell head="State">{stream.isOpen ? 'open' : 'closed'}</Cell>
    <Cell head="Bytes">
      {stream.received} in, {stream.sent} out
    </Cell>
    <Cell head="Newest bytes" isBytes>
      {stream.isSecret ? 'not shown: ranks or badges' : <SeenText seen={stream.last} />}
    </Cell>
    <Cell head="Last error">
      <SeenText seen={stream.error} />
    </Cell>
  </tr>
);

const countsText = ({ counts }: TechDevice): string =>
  Object.entries(counts)
    .map(([name, n]) => `${name} ${n}`)
    .join(', ');

const DeviceRow = ({ device }: { readonly device: TechDevice }) => (
  <tr>
    <th scope="row">
      {device.name}
      <span class="under">
        {device.identity ?? ''}
        {device.calibration !== null && <span class="detail">{device.calibration}</span>}
      </span>
    </th>
    <Cell head="Link">
      <State mark={STATE_MARKS[device.state] ?? unknownState} />
    </Cell>
    <Cell head="Counts">{countsText(device)}</Cell>
    <Cell head="Last reason">{device.reason ?? <span class="none">none</span>}</Cell>
  </tr>
);

const CheckRow = ({ check }: { readonly check: TechCheck }) => (
  <tr>
    <th scope="row">{check.what}</th>
    <Cell head="State">
      <State mark={CHECK_MARKS[check.level]} />
    </Cell>
    <Cell head="Seen">{check.seen}</Cell>
    <Cell head="Cure">{check.cure}</Cell>
  </tr>
);

const FIGURE_WORDS: Readonly<Record<string, string>> = {
  rssBytes: 'Memory',
  diskFreeBytes: 'Disk free',
  temperatureC: 'Temperature, °C',
  uptimeS: 'Running for',
  queued: 'Waiting to be decided',
  rows: 'Journal rows',
  lost: 'Lost since a journal fault',
};

const figureText = (name: string, value: number | null): string => {
  if (value === null) return 'not known';
  if (name.endsWith('Bytes')) return `${(value / 1e6).toFixed(0)} MB`;
  return name.endsWith('S') ? ageText(value * 1000) : String(value);
};

const Inside = ({ report }: { readonly report: TechReport }) => (
  <>
    <section class="floor-now" aria-labelledby="tech-title">
      <h1 id="tech-title">{report.board === '' ? 'No board' : report.board}</h1>
      <dl class="figures">
        {Object.entries(report.figures).map(([name, value]) => (
          <div key={name}>
            <dt>{FIGURE_WORDS[name] ?? plainWord(name)}</dt>
            <dd>{figureText(name, value)}</dd>
          </div>
        ))}
      </dl>
    </section>
    <Section id="devices-title" title="Devices" heads={['Device', 'Link', 'Counts', 'Last reason']}>
      {report.devices.map((device) => (
        <DeviceRow key={device.name} device={device} />
      ))}
    </Section>
    <Section id="lines-title" title="Lines" heads={['Line', 'Level', 'Changes', 'Last error']}>
      {report.lines.map((line) => (
        <LineRow key={line.name} line={line} />
      ))}
    </Section>
    <Section
      id="streams-title"
      title="Serial lines"
      heads={['Line', 'State', 'Bytes', 'Newest bytes', 'Last error']}
    >
      {report.streams.map((stream) => (
        <StreamRow key={stream.name} stream={stream} />
      ))}
    </Section>
    <Section id="registers-title" title="Registers" heads={['Register', 'Bytes', 'Last error']}>
      {report.registers.map((register) => (
        <RegisterRow
          key={`${register.bus}${register.address}${register.register}`}
          register={register}
        />
      ))}
    </Section>
    <Section id="doctor-title" title="Doctor" heads={['Looked at', 'State', 'Seen', 'Cure']}>
      {report.checks.map((check) => (
        <CheckRow key={check.what} check={check} />
      ))}
    </Section>
  </>
);

const Asking = ({ isLate }: { readonly isLate: boolean }) => (
  <p class="none" role="status">
    Asking the table…
    {isLate &&
      ' It takes longer than it should. The doctor looks at the disk, the broker and the ' +
        'certificates first: one that hangs holds up this page. The other pages show whether the ' +
        'table itself goes on.'}
  </p>
);

/** What a technician looks at: what the wires, the chips and the links say. */
export const TechnicianPage = () => {
  const { report, error, isLate } = useReport();
  return (
    <main id="main" class="technician">
      {error !== '' && (
        <p class="said said-refused" role="alert">
          {error}
        </p>
      )}
      {report !== null && <Inside report={report} />}
      {report === null && error === '' && <Asking isLate={isLate} />}
    </main>
  );
};
