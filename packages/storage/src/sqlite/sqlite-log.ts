import { StorageError } from '../contract/error.ts';
import type { AppendOptions, EventLog, NewEvent } from '../contract/log.ts';
import { checkBound, checkEvents, checkStatements } from '../kit/checks.ts';
import { jsonText } from '../kit/json.ts';
import { planAppend } from '../kit/plan-append.ts';
import { readerOf } from '../kit/reader.ts';
import { firstSeal } from '../proof/hash-chain.ts';
import { sealEvents } from '../proof/seal-events.ts';
import { signCheckpoint } from '../proof/signatures.ts';
import { fullText, insertEvent } from './events.ts';
import { sqliteProofWriter } from './proof-writer.ts';
import { sqliteSnapshots } from './snapshots.ts';
import { sqliteSource } from './source.ts';
import type { SqliteLogOptions } from './sqlite-log-options.ts';
import { sealBytes, sealText, toEvent } from './statements.ts';

/** The right to append to a conversation whose lease was just taken; renews it until disposed. */
export function sqliteLog(options: SqliteLogOptions): EventLog {
  const { id, connection, leases, lease, leaseMs, onClose } = options;
  const closing = new AbortController();
  const source = { id, key: lease.key, closed: closing.signal };
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new StorageError('closed', `The log of conversation ${id} is closed.`);
  };
  const logSource = sqliteSource(connection, source);
  // A lease that could not be renewed is tried again, and was lost only when somebody takes it over.
  const renew = (): unknown => connection.write(() => leases.renew(lease)).catch(() => {});
  const timer = setInterval(renew, leaseMs / 3).unref();
  const close = async (): Promise<void> => {
    closing.abort();
    clearInterval(timer);
    connection.wake.fire(lease.key);
    // Queued after the appends under way. A lease that could not be released runs out.
    await connection.write(() => leases.release(lease)).catch(() => {});
    onClose();
  };
  let closed: Promise<void> | undefined;
  return {
    ...readerOf(logSource),
    atomicity: 'all',
    epoch: lease.epoch,
    snapshots: sqliteSnapshots(connection, source),
    proof: sqliteProofWriter({
      ...options,
      proof: logSource.proof,
      checkOpen,
      checkLease: () => Number(heldState(options)['head']),
    }),
    async append(events, appendOptions = {}) {
      checkOpen();
      const work = appendWork(options, events, appendOptions);
      const seqs = await connection.write(work);
      connection.wake.fire(lease.key);
      return seqs;
    },
    async [Symbol.asyncDispose]() {
      closed ??= close();
      return closed;
    },
  };
}

/** Checks the arguments of an append now; what comes back runs in a transaction. */
function appendWork(
  options: SqliteLogOptions,
  newEvents: readonly NewEvent[],
  { expectedHead, meta, signer, statements: given }: AppendOptions,
): () => readonly number[] {
  const { id, connection, leases, lease, now } = options;
  const { statements } = connection;
  const { key } = lease;
  if (expectedHead !== undefined) checkBound('expected head', expectedHead);
  const metaText = meta === undefined ? undefined : jsonText('meta', meta);
  const events = checkEvents(newEvents);
  const noted = checkStatements(given);
  const find = (eventId: string) => {
    const row = statements.eventById.get(key, eventId);
    return row && { seq: toEvent(row).seq, text: fullText(statements, { id, key }, toEvent(row)) };
  };
  return () => {
    const state = heldState(options);
    const head = Number(state['head']);
    const { seqs, fresh } = planAppend(events, { id, head, expectedHead, find });
    const at = now();
    const previous = sealText(state['seal']) ?? firstSeal(id);
    const { seals, checkpoints, last } = sealEvents(fresh, { conversation: id, previous, signer, at });
    for (const [index, event] of fresh.entries())
      insertEvent(statements, key, { ...event, seal: seals[index]?.seal ?? '' });
    const isCheckpoint = signer && events.length === 0 && head > 0;
    const asked = isCheckpoint ? [signCheckpoint({ conversation: id, seq: head - 1, seal: previous, at }, signer)] : [];
    for (const statement of [...checkpoints, ...asked, ...noted]) {
      statements.insertStatement.run(key, statement.seq, JSON.stringify(statement));
    }
    if (metaText !== undefined) statements.setMeta.run(metaText, key);
    if (fresh.length > 0 || metaText !== undefined) {
      statements.setHead.run(head + fresh.length, sealBytes(last), at, leases.end(), key);
    }
    return seqs;
  };
}

/** The row of the conversation, in a transaction of the caller. @throws {StorageError} `fenced`. */
function heldState({ id, connection, lease: { key, epoch } }: SqliteLogOptions) {
  const state = connection.statements.state.get(key);
  if (state?.['lease_epoch'] === epoch) return state;
  throw new StorageError('fenced', `Conversation ${id} was taken over from epoch ${epoch}.`);
}
