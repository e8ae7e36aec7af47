import type { TableId } from '../../../floor/api.js';
import { evidenceAddress } from '../../../floor/api.js';
import { queryOf } from './route.js';

interface EvidenceProps {
  readonly id: TableId;
  /** `{finding: '16.0'}`, `{round: '3.12'}` or `{from: '1', to: '90'}`. */
  readonly of: Readonly<Record<string, string>>;
  /** What it is evidence of, for those who hear the page. */
  readonly about: string;
}

/** The evidence bundle as a file: it is checked by `cutcard evidence verify`. */
export const EvidenceLink = ({ id, of, about }: EvidenceProps) => (
  <a class="download" href={`${evidenceAddress(id)}?${queryOf(of)}`} download="">
    Evidence<span class="unheard"> of {about}</span> ↓
  </a>
);
