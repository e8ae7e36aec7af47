import type { BusErrorCode } from '../../../firmware-bridge/bus/errors.js';
import type { FaultCode } from '../../../storage/fault.js';
import type { PublisherFault } from '../../../surveillance/mqtt/publisher-parts.js';

/** What a technician does about a fault of the box: what it means, then the cure. */
export interface FaultEntry {
  readonly means: string;
  readonly cure: string;
}

/** Faults of the journal; the table opens no round while one stands. */
export const JOURNAL_FAULTS: Readonly<Record<FaultCode, FaultEntry>> = {
  full: {
    means: 'The disk has no room for another row.',
    cure: 'Make room (old recordings, logs), then start again. Delete no journal.',
  },
  'read-only': {
    means: 'The file or the disk may not be written.',
    cure:
      'A disk that failed is remounted read-only by the kernel (`dmesg`): replace the card. ' +
      'Otherwise make the folder writable for the service’s user.',
  },
  io: {
    means: 'The disk refused to read or write.',
    cure: '`dmesg`; replace the card. First copy the journal: `cutcard journal backup`.',
  },
  corrupt: {
    means: 'The file is damaged: a row or page is not what was written.',
    cure:
      'Keep it. `cutcard journal verify FILE` names the first bad row; ' +
      '`cutcard journal set-aside ' +
      'FILE` renames it, and the next start begins a new one.',
  },
  locked: {
    means: 'Another process has the journal open.',
    cure: 'Stop the other one: one journal has one writer.',
  },
  format: {
    means: 'The file is no journal, or one of a newer version.',
    cure: 'Name the right file, or install the newer version.',
  },
  order: {
    means: 'Rows do not follow on: a defect of the program.',
    cure: 'Keep the journal, set it aside and report the defect.',
  },
  asked: {
    means: 'What was asked for cannot be had.',
    cure: 'The message says what, and what to ask for instead.',
  },
  stopped: {
    means: 'The writer was closed or died.',
    cure: 'Start again; if it comes back, look at the log’s last lines.',
  },
};

/** Faults of the link to the broker; the rules never wait for it and no row is lost. */
export const LINK_FAULTS: Readonly<Record<PublisherFault, FaultEntry>> = {
  connect: {
    means: 'The broker cannot be reached.',
    cure: 'Address, port, cable, firewall: `cutcard doctor`. Rows wait in the journal.',
  },
  lost: { means: 'The connection broke.', cure: 'Nothing, if it comes back; else as `connect`.' },
  refused: {
    means: 'The broker or TLS refused this table.',
    cure: '`cutcard provision status`: certificate expired or revoked, or the clock is wrong.',
  },
  'taken-over': {
    means: 'Another client connected with this table’s client id.',
    cure: 'Find it: a copied card or a second process. Revoke a certificate that was copied.',
  },
  'puback-timeout': {
    means: 'The broker took a message and did not acknowledge it.',
    cure: 'Look at the broker’s load and disk; the message is sent again.',
  },
  'publish-refused': {
    means: 'The broker’s access list does not let this table write there.',
    cure: 'Generate the access list anew: `cutcard provision broker PLAN`.',
  },
  'subscribe-refused': {
    means: 'The broker’s access list does not let this table hear commands.',
    cure: 'As `publish-refused`.',
  },
  'too-large': {
    means: 'A message is larger than the broker takes.',
    cure: 'Raise the broker’s limit to 256 KiB; the row stays in the journal.',
  },
  'journal-read': {
    means: 'A row that is to be sent cannot be read.',
    cure: '`cutcard journal verify`; see "Faults of the journal".',
  },
  'journal-gap': {
    means: 'Rows that are to be sent are not there.',
    cure: '`cutcard journal verify`; tell the auditor which rows.',
  },
  'ack-mismatch': {
    means: 'A consumer acknowledged a row with another hash: it holds something else.',
    cure: 'Compare both sides with `cutcard contract check`; nothing is pruned meanwhile.',
  },
  'ack-ahead': {
    means: 'A consumer acknowledged rows this table has not written.',
    cure: 'The table’s card was replaced by an older copy, or two tables share a name.',
  },
  'ack-unreadable': {
    means: 'A consumer’s acknowledgement is not one.',
    cure: 'Mend the consumer; see docs/CONTRACT.md.',
  },
  'consumer-went-back': {
    means: 'A consumer acknowledges less than before: it was restored from a copy.',
    cure: 'Nothing: it asks for the rows again. If it does not, send `resend`.',
  },
};

/** Faults of a line, a bus or a device; each names which, and comes back by itself. */
export const BUS_FAULTS: Readonly<Record<BusErrorCode, FaultEntry>> = {
  absent: {
    means: 'The chip, bus, port or device is not there.',
    cure: 'Cable, power, address; `cutcard doctor` shows what is found.',
  },
  busy: {
    means: 'Another program owns the line or the port.',
    cure: '`gpioinfo` or `fuser` names it; stop it.',
  },
  permission: {
    means: 'The service’s user may not open it.',
    cure: 'Groups gpio, i2c, dialout and the udev rules of the package.',
  },
  closed: { means: 'It was closed.', cure: 'It is opened again by itself.' },
  timeout: {
    means: 'It did not answer in time.',
    cure: 'Wiring, bus speed, power of the device.',
  },
  io: { means: 'A transfer failed.', cure: 'Loose contact, length of cable, missing pull-ups.' },
  limit: {
    means: 'It sent more than can be right.',
    cure: 'Wrong speed or wrong profile; noise on the line.',
  },
  config: {
    means: 'The board file asks for something the hardware cannot do.',
    cure: 'Correct the board file; `cutcard doctor` checks it.',
  },
};
