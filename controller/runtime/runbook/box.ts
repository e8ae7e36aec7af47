import type { FindingCode } from '../../core/finding.js';
import type { RunbookEntry } from './entry.js';

/** Findings about the box itself, its presses and its clocks. */
export const BOX_RUNBOOK = {
  'exemption.lapsed': {
    means:
      'A duty was lifted because of a machine, and that machine changed, fell silent or stopped ' +
      'counting. The duties are back.',
    dealer: 'Do what the display asks for again (cut, count, marker).',
    floor: 'Where the machine was replaced by an approved one, say so (`approve-reshuffler`).',
    surveillance: 'Note the time from which the duties applied again.',
    technician: 'Restore the link, or have the new device approved.',
  },
  'gap.unwatched': {
    means: 'Power or a sensor was away: cards may have moved unseen, so the count is unknown.',
    dealer: 'Stop. Call the floor.',
    floor: 'Say how many cards left the shoe (`accept-gap`), or order a reshuffle (`reshuffle`).',
    surveillance: 'Count the cards of the gap on the video and tell the floor.',
    technician: 'Find out why it went away: `cutcard doctor`, the power supply, the cable.',
  },
  'sensor.fault': {
    means: 'A sensor of the table cannot be read. What it would prove is unseen until it is back.',
    dealer: 'No new round. Call the floor.',
    floor: 'Decide whether the table closes; the finding ends when the sensor is back.',
    surveillance: 'Watch this table by camera: the box is partly blind.',
    technician: '`cutcard doctor` names the line, bus and address, and the cure.',
  },
  'shuffler.lost': {
    means: 'The machine’s line is silent. A shuffle that is not heard of does not count.',
    dealer: 'Call the floor. Shuffle by hand where the rule allows it.',
    floor: 'Decide on hand shuffles and counts until the line is back.',
    surveillance: '',
    technician: 'Cable, port name (`/dev/serial/by-id`), profile and speed: `cutcard doctor`.',
  },
  'tamper.lid': {
    means: 'The lid of the shoe or of the box was opened during play.',
    dealer: 'Close the lid. Call the floor.',
    floor: 'See the cards and the lid; clear with a reason.',
    surveillance: 'Mark it: who opened it, and what was done.',
    technician: 'If the lid was closed: the switch or its wire.',
  },
  'clock.untrusted': {
    means: 'The wall clock is not synchronised. Order and durations still hold; dates may be off.',
    dealer: '',
    floor: '',
    surveillance: 'Find the offset with a known event on the video.',
    technician: '`chronyc tracking`; then the clock’s battery and the network’s time server.',
  },
  'journal.fault': {
    means:
      'The journal cannot be written or read. No new round; the gate is locked. Nothing is ' +
      'lost of what was shown as done.',
    dealer: 'No new round. Call the floor.',
    floor: 'Close the table until the box writes again.',
    surveillance: 'Keep the recordings of this table; the box cannot prove what happens now.',
    technician:
      'The page and `cutcard doctor` say which fault (see "Faults of the ' +
      'journal"). Keep the file ' +
      'as it is. Make room or replace the card, then start again.',
  },
  'dwell.cut': {
    means: 'The cut took unusually long. A note for whoever looks at the recording.',
    dealer: '',
    floor: '',
    surveillance: 'Look at the recording of this time.',
    technician: '',
  },
  'dwell.load': {
    means: 'The time from shuffle to load was unusually long.',
    dealer: '',
    floor: '',
    surveillance: 'Look at the recording of this time: the stack lay on the table.',
    technician: '',
  },
  'press.authority': {
    means: 'A key was pressed by somebody whose role may not. It was refused and written down.',
    dealer: 'Call the person named by the display.',
    floor: 'Use your own key.',
    surveillance: 'Repeated attempts at one table deserve a look.',
    technician: 'If roles are wrong, check the key switch and the badges.',
  },
  'replace.mismatch': {
    means: 'A card was put in that is not the one taken out.',
    dealer: 'Enter the right card (`replace`), or call the floor.',
    floor: 'See both cards; count the batch (`hand-count`), then clear.',
    surveillance: 'Mark the exchange.',
    technician: '',
  },
} as const satisfies Partial<Record<FindingCode, RunbookEntry>>;
