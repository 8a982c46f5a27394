import type { Json } from '@varve/events';
import { isTakenOver, StorageError } from '../contract/error.ts';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { EventLog, NewEvent } from '../contract/log.ts';
import type { Statement } from '../contract/statement.ts';
import type { EventStore, Summary } from '../contract/store.ts';
import { digestOf, tombstonesFor } from '../proof/hash-chain.ts';
import { allProofs } from '../proof/proof-pages.ts';
import type { Verdict, VerifyOptions } from '../proof/verdict.ts';
import { verify } from '../proof/verify.ts';
import { checkComplete } from './check-complete.ts';

const batchEvents = 256;
const batchCharacters = 1_000_000;

/** Options of `copyLog`. */
export interface CopyOptions extends VerifyOptions {
  /** `meta` of the copy; default `{}`. A copy that fails is removed if it has this `meta`: a unique one is safest. */
  readonly meta?: Json;
  /** Owner of the copy; default none. */
  readonly owner?: Summary['owner'];
  /**
   * Called with the complete copy and its verdict before its lease is released, for instance to append to it. The copy
   * is removed if it rejects.
   */
  readonly onCopied?: (copy: EventLog, verdict: Verdict | undefined) => Promise<unknown>;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
}

/**
 * Copies a log into a store that has no conversation of its id, with the same texts, seals and signatures, so that both
 * verify alike. Refuses a broken or incomplete log, because its copy would look whole. Events without seals are
 * sealed in the copy, which records that they were imported without. Removes the copy again if it fails, unless another
 * process took it over or the store fails. Returns the verdict on the copy, without what `onCopied` did, or `undefined`
 * if neither store has proofs.
 *
 * @throws {StorageError} `incomplete` for a log that lost events, `corrupt` for one that `verify` finds broken,
 * `corrupt` or `duplicate` for one with an id twice; as `verify`, `create` and `append`.
 */
export async function copyLog(
  log: LogReader,
  store: EventStore,
  options: CopyOptions = {},
): Promise<Verdict | undefined> {
  const { now = Date.now } = options;
  const verdict = log.proof ? await verify(log, options) : undefined;
  await checkComplete(log);
  if (verdict?.broken) throw new StorageError('corrupt', verdict.broken.message);
  const copy = await store.create(log.id, options.meta ?? {}, { owner: options.owner });
  try {
    await copyEvents(copy, log, { sealed: verdict?.sealed ?? 0, at: now() });
    const copied = copy.proof ? await verify(copy, options) : verdict;
    if (copied?.broken) throw new StorageError('corrupt', copied.broken.message);
    if (verdict && copied?.seal !== verdict.seal) {
      throw new StorageError('corrupt', `Conversation ${log.id} changed while it was copied.`);
    }
    await options.onCopied?.(copy, copied);
    return copied;
  } catch (error) {
    // The error may be about the log that is copied.
    const meta = options.meta ?? {};
    const isOurs = await isHeld(copy, meta);
    await copy[Symbol.asyncDispose]();
    if (isOurs) await removeIfPossible(store, log.id, meta);
    throw error;
  } finally {
    await copy[Symbol.asyncDispose]();
  }
}

/**
 * Removes a copy, unless that fails for the same reason as the copy: on a full disk not even a lease is released. What
 * another process put in its place since the lease was released stays.
 */
async function removeIfPossible(store: EventStore, id: string, expectedMeta: Json): Promise<void> {
  try {
    await store.remove(id, { expectedMeta });
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
  }
}

/** Reports whether a copy is still this process's: one whose lease another process took over may be its work by now. */
async function isHeld(copy: EventLog, meta: Json): Promise<boolean> {
  try {
    await copy.append([], { meta });
    return true;
  } catch (error) {
    return !isTakenOver(error);
  }
}

/** Events of a log that are sealed, and the time at which the others are sealed in the copy. */
interface Unsealing {
  readonly sealed: number;
  /** UTC milliseconds. */
  readonly at: number;
}

async function copyEvents(copy: EventLog, log: LogReader, { sealed, at: importedAt }: Unsealing): Promise<void> {
  const proofs = new Map<number, EventProof>();
  for await (const proof of allProofs(log.proof)) if (proof.statements.length > 0) proofs.set(proof.seq, proof);
  let batch: NewEvent[] = [];
  let statements: Statement[] = [];
  let characters = 0;
  let head = 0;
  const flush = async (): Promise<void> => {
    const seqs = await copy.append(batch, { statements });
    const first = head;
    head += batch.length;
    if (seqs.some((seq, index) => seq !== first + index)) {
      throw new StorageError('corrupt', `An event of conversation ${log.id} is in it twice.`);
    }
    [batch, statements, characters] = [[], [], 0];
  };
  for await (const event of log.range(0)) {
    const stated = proofs.get(event.seq)?.statements ?? [];
    batch.push(originalEvent(event, stated));
    for (const statement of stated) statements.push(statement);
    proofs.delete(event.seq);
    characters += event.text.length;
    if (batch.length >= batchEvents || characters >= batchCharacters) await flush();
  }
  // Cuts at the head, which belong to no event.
  for (const proof of proofs.values()) for (const statement of proof.statements) statements.push(statement);
  const end = head + batch.length;
  if (sealed < end) statements.push({ kind: 'unsealed', seq: sealed, end, cause: 'imported', at: importedAt });
  if (batch.length > 0 || statements.length > 0) await flush();
}

/**
 * Returns the event to append to the copy; a scrubbed one with its original digest, so that its seal stays the same.
 */
function originalEvent({ id, kind, parentId, text }: Stored, statements: readonly Statement[]): NewEvent {
  const event = { id, kind, parentId, text };
  const original = tombstonesFor(digestOf(event), statements).at(-1);
  return original ? { ...event, digest: original.was } : event;
}
