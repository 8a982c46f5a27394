import { StorageError } from '@varve/storage';
import { type Append, appendStatement, isSmall } from './append.ts';
import type { Connection } from './connection.ts';
import { isOutage } from './errors.ts';

/** Stores an append; returns false if the lease was taken over or the head is another. @throws {StorageError} */
export type StoreAppend = (append: Append) => Promise<boolean>;

/** Stores the appends of a process, each in the order in which its conversation waits for it. */
export interface AppendQueue {
  /**
   * Stores an append with others that wait at the same time, in one statement and one commit. It also returns false if
   * another transaction has locked the conversation.
   */
  readonly store: StoreAppend;
  /** Stores an append by a statement of its own. */
  readonly storeAlone: StoreAppend;
}

interface Waiting extends PromiseWithResolvers<boolean> {
  readonly append: Append;
}

/**
 * Number of statements at the same time. Appends that are called while as many run wait, and share the next statement:
 * with 64 writers twice as many appends per second as with a statement for each.
 */
const maxStatements = 4;
const maxAppends = 64;

/** Creates the queue of a store. */
export function appendQueue(connection: Connection): AppendQueue {
  const waiting: Waiting[] = [];
  let running = 0;
  const execute = async (appends: readonly Append[]): Promise<ReadonlySet<unknown>> => {
    const { sql, values } = appendStatement(connection.sql.schema, appends);
    const rows = await connection.write(sql, values);
    return new Set(rows.map(({ key }) => key));
  };
  const storeAlone: StoreAppend = async (append) => (await execute([append])).has(append.key);
  const run = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      const stored = await execute(batch.map(({ append }) => append));
      for (const { append, resolve } of batch) resolve(stored.has(append.key));
    } catch (error) {
      // An append that cannot be stored is no failure of the others; a database that cannot be reached is.
      const isCommon = batch.length === 1 || (error instanceof StorageError && isOutage(error.cause));
      for (const { append, resolve, reject } of batch) {
        if (isCommon) reject(error);
        else storeAlone(append).then(resolve, reject);
      }
      if (isCommon && batch.length > 1) for (const { reject } of waiting.splice(0)) reject(error);
    }
  };
  const next = (): void => {
    while (running < maxStatements && waiting.length > 0) {
      running += 1;
      void run(waiting.splice(0, maxAppends)).finally(() => {
        running -= 1;
        next();
      });
    }
  };
  return {
    storeAlone,
    async store(append) {
      // The rows name their conversation: those of an overtaken holder would be stored with those of the next one.
      const isShared = isSmall(append) && !waiting.some((other) => other.append.key === append.key);
      if (!isShared) return storeAlone(append);
      const entry = { append, ...Promise.withResolvers<boolean>() };
      waiting.push(entry);
      next();
      return entry.promise;
    },
  };
}
