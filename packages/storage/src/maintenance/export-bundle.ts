import { createHash } from 'node:crypto';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { Summary } from '../contract/store.ts';
import { firstSeal, nextSeal, sealedDigest } from '../proof/hash-chain.ts';
import { proofPages } from '../proof/proof-pages.ts';

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
    yield lineOf({ seq, id: eventId, kind, parent_id: parentId, text, ...proofFields(await proofs.of(event)) });
    head = seq + 1;
  }
  // What was appended while this was written stays out, with its proof; what says that events were lost stays in.
  if ((await log.head()) === head) {
    for await (const proof of proofs.rest()) yield lineOf({ seq: proof.seq, ...proofFields(proof) });
  }
  const end = sealed && sealed.head >= head ? { sealed } : {};
  yield `${JSON.stringify({ end: head, ...end, sha256: hash.digest('hex') })}\n`;
}

function proofFields(proof: EventProof | undefined): object {
  if (!proof) return {};
  const { seal, statements } = proof;
  return { seal, ...(statements.length > 0 && { statements }) };
}

/** What is kept beside a log that is read from its start. */
export interface CurrentProofs {
  /** What is kept about the next event; to be asked of each, in order. */
  of(event: Stored): Promise<EventProof | undefined>;
  /** What is kept about none of those that were asked for. */
  rest(): AsyncGenerator<EventProof>;
}

/**
 * Reads it in pages, and anew from an event on that was scrubbed after its page was read. That an event is another one
 * than its seal was made of is not judged, and looked into again only while that helps.
 */
export function currentProofs({ id, proof }: LogReader): CurrentProofs {
  let proofs = proofPages(proof);
  let following: Promise<EventProof | undefined> | undefined;
  let previous: string | undefined = firstSeal(id);
  let helps = true;
  const proofAt = async (seq: number): Promise<EventProof | undefined> => {
    const found = await (following ??= nextOf(proofs));
    return found?.seq === seq ? found : undefined;
  };
  const isScrubbed = (event: Stored, found: EventProof | undefined): boolean =>
    previous !== undefined &&
    found?.seal !== undefined &&
    nextSeal(previous, sealedDigest(event, found)) !== found.seal;
  return {
    async of(event) {
      let found = await proofAt(event.seq);
      if (helps && isScrubbed(event, found)) {
        // Tombstones are kept before texts are replaced: what is read after the text knows of it.
        proofs = proofPages(proof, event.seq);
        following = undefined;
        found = await proofAt(event.seq);
        helps = !isScrubbed(event, found);
      }
      if (found) following = undefined;
      previous = found?.seal;
      return found;
    },
    async *rest() {
      const found = await (following ??= nextOf(proofs));
      if (!found) return;
      yield found;
      yield* proofs;
    },
  };
}

async function nextOf(proofs: AsyncGenerator<EventProof>): Promise<EventProof | undefined> {
  const { value, done } = await proofs.next();
  return done ? undefined : value;
}
