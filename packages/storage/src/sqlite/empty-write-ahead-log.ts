import type { Connection } from './connection.ts';
import { resultCodes } from './result-code.ts';

/**
 * Writes the write-ahead log back and cuts it to nothing, so that no replaced text is left in it. Waits for whoever
 * reads an older state.
 *
 * @throws {StorageError} `io` when somebody reads one for longer than the connection waits; `closed`.
 */
export async function emptyWriteAheadLog(connection: Connection): Promise<void> {
  await connection.read(() => {
    // SQLite answers here, and raises no error, when it could not.
    if (connection.statements.emptyWriteAheadLog.get()?.['busy'] === 0) return;
    throw Object.assign(new Error('The write-ahead log is in use.'), { errcode: resultCodes.busy });
  });
}
