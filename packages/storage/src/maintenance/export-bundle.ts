import { createHash } from 'node:crypto';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { Summary } from '../contract/store.ts';
import { firstSeal, nextSeal, sealedDigest } from '../proof/hash-chain.ts';
import { allProofs } from '../proof/proof-pages.ts';
import { checkComplete } from './check-complete.ts';

/** First line of a bundle. */
export interface BundleHeader extends Omit<Summary, 'head'> {
  readonly format: 'varve-bundle';
  readonly version: 1;
}

/**
 * Exports a conversation as one portable text of JSON lines: a header, each event with its exact text, seal and
 * statements, and last a checksum over all lines before. Nothing is verified: the reader of the bundle verifies it. A
 * log that lost events is refused; if that is found while it is read, the bundle has no checksum and cannot be
 * imported. An event that is scrubbed during the export is written with its old or its new text, and with a proof that
 * matches it. Each line ends with a line feed.
 *
 * @throws {StorageError} `incomplete` for a log that lost events; as `LogReader.range`.
 */
export async function* exportBundle(
  log: LogReader,
  { id, createdAt, updatedAt, owner, meta }: Summary,
): AsyncGenerator<string> {
  await checkComplete(log);
  const hash = createHash('sha256');
  const lineOf = (record: object): string => {
    const text = `${JSON.stringify(record)}\n`;
    hash.update(text);
    return text;
  };
  const header: BundleHeader = { format: 'varve-bundle', version: 1, id, createdAt, updatedAt, owner, meta };
  yield lineOf(header);
  const sealed = await log.proof?.end();
  const proofs = currentProofs(log);
  let head = 0;
  for await (const event of log.range(0)) {
    const { seq, id: eventId, kind, parentId, text } = event;
    yield lineOf({ seq, id: eventId, kind, parent_id: parentId, text, ...proofFields(await proofs.proofOf(event)) });
    head = seq + 1;
  }
  await checkComplete(log);
  // Events appended during the export are left out with their proof. Proof of lost events is included.
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

/** Proof of a log that is read from its start. */
export interface CurrentProofs {
  /** Returns the proof of the next event. Call it for every event, in order. */
  proofOf(event: Stored): Promise<EventProof | undefined>;
  /** Yields the proof of the seqs after the last event. */
  rest(): AsyncGenerator<EventProof>;
}

/**
 * Reads the proof of a log in pages, and reads again from an event that was scrubbed after its page was read. An event
 * that still does not match its seal after that is not an error here; then later mismatches cause no second read.
 */
export function currentProofs({ id, proof }: LogReader): CurrentProofs {
  let proofs = allProofs(proof);
  let pending: Promise<EventProof | undefined> | undefined;
  let previous: string | undefined = firstSeal(id);
  let isRereadUseful = true;
  const proofAt = async (seq: number): Promise<EventProof | undefined> => {
    const eventProof = await (pending ??= nextOf(proofs));
    return eventProof?.seq === seq ? eventProof : undefined;
  };
  const mismatches = (event: Stored, eventProof: EventProof | undefined): boolean =>
    previous !== undefined &&
    eventProof?.seal !== undefined &&
    nextSeal(previous, sealedDigest(event, eventProof.statements)) !== eventProof.seal;
  return {
    async proofOf(event) {
      let eventProof = await proofAt(event.seq);
      if (isRereadUseful && mismatches(event, eventProof)) {
        // A tombstone is stored before its text is replaced, so proof read after the text includes it.
        proofs = allProofs(proof, event.seq);
        pending = undefined;
        eventProof = await proofAt(event.seq);
        isRereadUseful = !mismatches(event, eventProof);
      }
      if (eventProof) pending = undefined;
      previous = eventProof?.seal;
      return eventProof;
    },
    async *rest() {
      const eventProof = await (pending ??= nextOf(proofs));
      if (!eventProof) return;
      yield eventProof;
      yield* proofs;
    },
  };
}

async function nextOf(proofs: AsyncGenerator<EventProof>): Promise<EventProof | undefined> {
  const { value, done } = await proofs.next();
  return done ? undefined : value;
}
