import { createHash } from 'node:crypto';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader } from '../contract/log-reader.ts';
import type { Summary } from '../contract/store.ts';
import { currentProofs } from './current-proofs.ts';

/** The first line of a bundle. */
export interface BundleHeader extends Omit<Summary, 'head'> {
  readonly format: 'varve-bundle';
  readonly version: 1;
}

/**
 * Writes a conversation as one portable text of JSON lines: what it is, each event with its exact text, its seal and
 * what was stated about it, and last a checksum over all lines before. Nothing is judged or left out: who reads it
 * verifies it. An event that is scrubbed meanwhile is in it as it was or as it is, with a proof that holds for it. The
 * lines end with a line feed.
 *
 * @throws {StorageError} as `LogReader.range`.
 */
export async function* exportBundle(
  log: LogReader,
  { id, createdAt, updatedAt, meta }: Summary,
): AsyncGenerator<string> {
  const hash = createHash('sha256');
  const lineOf = (record: object): string => {
    const text = `${JSON.stringify(record)}\n`;
    hash.update(text);
    return text;
  };
  const header: BundleHeader = { format: 'varve-bundle', version: 1, id, createdAt, updatedAt, meta };
  yield lineOf(header);
  const sealed = await log.proof?.end();
  const proofs = currentProofs(log);
  let head = 0;
  for await (const event of log.range(0)) {
    const { seq, id: eventId, kind, parentId, text } = event;
    yield lineOf({ seq, id: eventId, kind, parent_id: parentId, text, ...kept(await proofs.of(event)) });
    head = seq + 1;
  }
  // What was appended while this was written stays out, with its proof; what says that events were lost stays in.
  if ((await log.head()) === head) {
    for await (const proof of proofs.rest()) yield lineOf({ seq: proof.seq, ...kept(proof) });
  }
  const end = sealed && sealed.head >= head ? { sealed } : {};
  yield `${JSON.stringify({ end: head, ...end, sha256: hash.digest('hex') })}\n`;
}

function kept(proof: EventProof | undefined): object {
  if (!proof) return {};
  const { seal, statements } = proof;
  return { seal, ...(statements.length > 0 && { statements }) };
}
