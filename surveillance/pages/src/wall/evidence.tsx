import { evidenceAddress, type TableId, tableKey, type Tile } from '../../../floor/api.js';
import { useFloor, useTile } from './floor-context.js';
import { queryOf } from './route.js';
import { type Proof, proofOf, proofText } from './proof.js';

interface EvidenceProps {
  readonly id: TableId;
  /** `{finding: '16.0'}`, `{round: '3.12'}` or `{from: '1', to: '90'}`. */
  readonly of: Readonly<Record<string, string>>;
  /** What it is evidence of, for those who hear the page. */
  readonly about: string;
  /** The row that matters: whether it is signed decides what the file proves. */
  readonly row: number;
}

const MARKS: Readonly<Record<Proof, string>> = {
  signed: '',
  'not-yet': 'not signed yet',
  never: 'not provable',
};

/** The evidence bundle as a file: it is checked by `cutcard evidence verify`. */
export const EvidenceLink = ({ id, of, about, row }: EvidenceProps) => {
  const { store } = useFloor();
  const tile = useTile(store, tableKey(id));
  const proof = proofOf(tile, row);
  const text = proofText(tile, row);
  return (
    <>
      <a
        class="download"
        href={`${evidenceAddress(id)}?${queryOf(of)}`}
        download=""
        title={text === '' ? undefined : text}
      >
        Evidence<span class="unheard"> of {about}</span> ↓
      </a>
      {proof !== 'signed' && <span class="warned"> {MARKS[proof]}</span>}
    </>
  );
};

interface ProofNoteProps {
  readonly tile: Tile;
  readonly row: number;
}

/** What of the rows up to `row` a file from here would prove, and why not more. */
export const ProofNote = ({ tile, row }: ProofNoteProps) => {
  const text = proofText(tile, row);
  return text === '' ? null : <p class="warned">{text}</p>;
};
