import type { EventLog, Stored } from '@varve/storage';
import { type CheckedAppend, leasedLog, planAppend, sealAppend, sealBytes, sealText } from '@varve/storage/kit';
import type { StoreAppend } from './append-queue.ts';
import { isDuplicate } from './errors.ts';
import { toEvents, toStored } from './events.ts';
import { checkIntact } from './intact.ts';
import { keyOf, type LeasedConversation, lockLease, readLeasedState } from './lease.ts';
import { proofWriter } from './proof-writer.ts';
import type { LogState } from './rows.ts';
import { snapshotCache } from './snapshots.ts';
import { logSource } from './source.ts';

/** Options of `postgresLog`. */
export interface PostgresLogOptions extends LeasedConversation {
  /** Called when it is closed; with false if its lease may have remained. */
  readonly onClose: (isReleased: boolean) => void;
}

/** Creates the writable log of a conversation whose lease was just taken. */
export function postgresLog(options: PostgresLogOptions): EventLog {
  const { id, connection, lease, onClose } = options;
  const { key, epoch } = lease;
  const closing = new AbortController();
  const source = logSource(connection, { id, key, closed: closing.signal });
  const writer = appender(options);
  const queue = inOrder();
  let isReleased = false;
  return leasedLog(closing, {
    source,
    atomicity: 'all',
    epoch,
    snapshots: snapshotCache(options, closing.signal),
    proof: proofWriter(options, {
      proof: source.proof,
      closed: closing.signal,
      queue: async (work) => queue(async () => work().finally(writer.forget)),
    }),
    append: async (checked) => queue(async () => writer.append(checked)),
    wake: () => connection.wake.fire(key),
    drain: async () => queue(async () => {}),
    async release() {
      await connection.lease(connection.sql.releaseLease, [key, epoch]);
      isReleased = true;
    },
    onClose: () => onClose(isReleased),
  });
}

/** Runs work in the order of its calls, each after the one before has ended. */
function inOrder(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const next = last.then(work, work);
    last = next;
    return next;
  };
}

interface Appender {
  append(checked: CheckedAppend): Promise<readonly number[]>;
  /** Forgets the end of the log, which another change of this holder may have moved. */
  readonly forget: () => void;
}

/**
 * Appends to a log, one call after the other. The end of the log is remembered: as long as this process has the lease,
 * nothing else moves it, and the database compares it anyway. An append is therefore one statement; only if that does
 * nothing the database is asked for the reason.
 */
function appender(conversation: LeasedConversation): Appender {
  let known: LogState | undefined;
  const forget = (): void => void (known = undefined);
  const attempt = async (checked: CheckedAppend, state: LogState, stored: readonly Stored[], store: StoreAppend) => {
    const byId = new Map(stored.map((event) => [event.id, event]));
    const { id, lease, now } = conversation;
    const { head } = state;
    const plan = planAppend(checked.events, {
      id,
      head,
      expectedHead: checked.expectedHead,
      find: (commandId) => byId.get(commandId),
    });
    const sealed = sealAppend(plan, checked, { id, head, seal: sealText(state.seal), at: now() });
    // Whether a statement without a reply was executed is not known.
    forget();
    const append = { ...sealed, key: lease.key, epoch: lease.epoch, head, metaText: checked.metaText };
    if (!(await store(append))) return undefined;
    const end = head + sealed.events.length;
    known = { head: end, seal: end === 0 ? null : sealBytes(sealed.last) };
    return plan.seqs;
  };
  return {
    forget,
    async append(checked) {
      if (conversation.purpose === 'repair') await checkRepaired(conversation);
      const { expectedHead } = checked;
      let { store } = conversation.appends;
      if (known && (expectedHead === undefined || expectedHead === known.head) && !hasRepeatedId(checked)) {
        const seqs = await attempt(checked, known, [], store).catch(ignoreDuplicate);
        if (seqs) return seqs;
        store = conversation.appends.storeAlone;
      }
      for (;;) {
        const stored = await readStored(conversation, checked);
        const state = await readLeasedState(conversation);
        const seqs = await attempt(checked, state, stored, store);
        if (seqs) return seqs;
        store = conversation.appends.storeAlone;
      }
    },
  };
}

function ignoreDuplicate(error: unknown): undefined {
  if (!isDuplicate(error)) throw error;
}

/** Returns true for an append that is rejected whatever the log contains, unless its lease was taken over. */
function hasRepeatedId({ events }: CheckedAppend): boolean {
  return new Set(events.map(({ id }) => id)).size < events.length;
}

/** Reads the events of the append that are stored already. */
async function readStored(conversation: LeasedConversation, { events }: CheckedAppend): Promise<readonly Stored[]> {
  if (events.length === 0) return [];
  const { connection } = conversation;
  const { id, key } = keyOf(conversation);
  const rows = await connection.write(connection.sql.eventsById, [key, events.map((event) => event.id)]);
  return toEvents(rows).map((event) => toStored(id, event));
}

/** Rejects a log that is open for a repair and not repaired yet. @throws {StorageError} `incomplete`, `unsealed`. */
async function checkRepaired(conversation: LeasedConversation): Promise<void> {
  const { connection } = conversation;
  await connection.transaction(async (session) => {
    const state = await lockLease(session, conversation);
    await checkIntact(session, connection, { ...keyOf(conversation), ...state });
  });
}
