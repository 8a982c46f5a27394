import type { Json } from '@varve/events';
import { StorageError } from '../contract/error.ts';
import type { EventProof } from '../contract/log-proof.ts';
import type { LogReader, Stored } from '../contract/log-reader.ts';
import type { EventLog, NewEvent } from '../contract/log.ts';
import type { Statement } from '../contract/statement.ts';
import type { EventStore } from '../contract/store.ts';
import { digestOf } from '../proof/hash-chain.ts';
import { proofPages } from '../proof/proof-pages.ts';
import type { Verdict, VerifyOptions } from '../proof/verdict.ts';
import { verify } from '../proof/verify.ts';

const batchEvents = 256;
const batchCharacters = 1_000_000;

/** How a log is copied. */
export interface CopyOptions extends VerifyOptions {
  /** The `meta` of the copy; default `{}`. */
  readonly meta?: Json;
}

/**
 * Copies a log into a store that has no conversation of its id: the same texts, seals and signatures, so that what was
 * proven of the one is proven of the other. A log that is broken is not copied, because its copy would be sealed as if
 * it were whole. Leaves nothing behind when it fails. Gives what `verify` says of the copy; nothing when no store of the
 * two keeps proof.
 *
 * @throws {StorageError} `corrupt` for a log that `verify` finds broken, that or `duplicate` for one that has an id twice;
 * as `verify`, `create` and `append`.
 */
export async function copyLog(
  log: LogReader,
  store: EventStore,
  options: CopyOptions = {},
): Promise<Verdict | undefined> {
  const verdict = log.proof ? await verify(log, options) : undefined;
  if (verdict?.broken) throw new StorageError('corrupt', verdict.broken.message);
  const copy = await store.create(log.id, options.meta ?? {});
  try {
    await fill(copy, log);
    const copied = copy.proof ? await verify(copy, options) : verdict;
    if (copied?.broken) throw new StorageError('corrupt', copied.broken.message);
    if (verdict && copied?.seal !== verdict.seal) {
      throw new StorageError('corrupt', `Conversation ${log.id} changed while it was copied.`);
    }
    return copied;
  } catch (error) {
    await copy[Symbol.asyncDispose]();
    await store.remove(log.id);
    throw error;
  } finally {
    await copy[Symbol.asyncDispose]();
  }
}

async function fill(copy: EventLog, log: LogReader): Promise<void> {
  const kept = new Map<number, EventProof>();
  for await (const proof of proofPages(log.proof)) if (proof.statements.length > 0) kept.set(proof.seq, proof);
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
    const noted = kept.get(event.seq)?.statements ?? [];
    batch.push(asAppended(event, noted));
    statements.push(...noted);
    kept.delete(event.seq);
    characters += event.text.length;
    if (batch.length >= batchEvents || characters >= batchCharacters) await flush();
  }
  // Ends that the log had, noted behind its last event.
  for (const proof of kept.values()) statements.push(...proof.statements);
  if (batch.length > 0 || statements.length > 0) await flush();
}

/** A scrubbed event goes on with the seal of what it was. */
function asAppended({ id, kind, parentId, text }: Stored, statements: readonly Statement[]): NewEvent {
  const event = { id, kind, parentId, text };
  const digest = digestOf(event);
  const tombstone = statements.findLast((statement) => statement.kind === 'tombstone' && statement.is === digest);
  return tombstone?.kind === 'tombstone' ? { ...event, digest: tombstone.was } : event;
}
