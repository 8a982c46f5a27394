import type { EventProof } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import { digestOf } from '../proof/digest-of.ts';

/** The digest that the seal of the event holds: of what it was before anybody scrubbed it. */
export function sealedDigest(event: Stored, kept: EventProof | undefined): string {
  const digest = digestOf(event);
  const before = kept?.statements.findLast((statement) => statement.kind === 'tombstone' && statement.is === digest);
  return before?.kind === 'tombstone' ? before.was : digest;
}
