import type { Rules } from '../core/decide.js';
import { canonicalJson, hashText } from '../../storage/canonical.js';
import { readCheckpoint } from '../../storage/checkpoint.js';
import type { SignedCheckpoint } from '../../storage/store.js';
import type { CheckpointMessage, DocumentsMessage } from '../../surveillance/contract/messages.js';

/** What of a device key may be told: its name (SHA-256) and 32 public bytes, base64. */
export interface PublicHalf {
  readonly name: string;
  readonly publicKey: string;
}

/** What a consumer needs to show and to prove the rows of a table. */
export const documentsOf = (
  { procedure, table }: Rules,
  key: PublicHalf | null,
): DocumentsMessage => {
  const texts = { procedure: canonicalJson(procedure), table: canonicalJson(table) };
  return {
    documents: [
      { kind: 'procedure', hash: hashText(texts.procedure), text: texts.procedure },
      { kind: 'table', hash: hashText(texts.table), text: texts.table },
    ],
    key: key === null ? null : { name: key.name, publicKey: key.publicKey },
  };
};

/** A signed checkpoint as it is published; null where its text is none. */
export const checkpointMessageOf = ({
  body,
  signature,
}: SignedCheckpoint): CheckpointMessage | null => {
  const said = readCheckpoint(body);
  if (said === null) return null;
  const { type: _type, ...message } = said;
  return { ...message, signature };
};
