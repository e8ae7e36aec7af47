import { canonicalJson } from '../../../storage/canonical.js';
import { CHECKPOINT_TYPE } from '../../../storage/checkpoint.js';
import { makeEvidence } from '../../../storage/evidence-file.js';
import type { EvidenceSource } from '../../../storage/reader.js';
import type { EvidenceInput } from '../../../surveillance/floor/evidence-desk.js';
import { stepIn } from '../../../surveillance/floor/projector.js';

/** The rows a historian holds of a table, as a journal's rows are read for evidence. */
const sourceOf = (input: EvidenceInput): EvidenceSource => {
  const { table, rows, documents } = input;
  const known = new Map(input.keys.map(({ name, publicKey }) => [name, publicKey]));
  // A checkpoint whose key was never sent proves nothing here.
  const checkpoints = input.checkpoints
    .filter(({ key }) => known.has(key))
    .map(({ signature, ...said }) => ({
      seq: said.seq,
      body: canonicalJson({ ...said, type: CHECKPOINT_TYPE }),
      signature,
    }));
  const used = new Set(input.checkpoints.map(({ key }) => key));
  const first = rows[0]?.seq ?? 1;
  return {
    path: table.replaceAll('/', '-'),
    rows: (afterSeq, limit) => rows.slice(Math.max(0, afterSeq + 1 - first)).slice(0, limit),
    firstSeq: () => first,
    lastSeq: () => rows.at(-1)?.seq ?? 0,
    seqsBetween: (fromMs, toMs) => {
      const inside = rows.filter((row) => {
        const { wallMs } = stepIn(table, row).observation;
        return wallMs >= fromMs && wallMs <= toMs;
      });
      const [from, to] = [inside[0]?.seq, inside.at(-1)?.seq];
      return from === undefined || to === undefined ? null : { fromSeq: from, toSeq: to };
    },
    checkpoints: (fromSeq, limit) =>
      checkpoints.filter(({ seq }) => seq >= fromSeq).slice(0, limit),
    checkpointsBackFrom: (toSeq, limit) =>
      checkpoints
        .filter(({ seq }) => seq <= toSeq)
        .reverse()
        .slice(0, limit),
    keys: () => new Map([...known].filter(([name]) => used.has(name))),
    documents: () => documents,
  };
};

/**
 * An evidence file from a historian's rows, as `cutcard evidence verify` checks it. It is not
 * sealed: the signed checkpoints among the rows prove them, the device alone may seal.
 * @throws JournalFault where the rows do not hold what is wanted
 */
export const evidenceFromRows = (input: EvidenceInput, version: string): string =>
  makeEvidence(sourceOf(input), { wanted: input.wanted, version, nowMs: input.nowMs });
