import { StorageError } from '../contract/error.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import type { Statement } from '../contract/statement.ts';

/** Copies the statements of an append. @throws {StorageError} `invalid` for what is none. */
export function checkStatements(statements: readonly Statement[] = []): readonly Statement[] {
  return statements.map((statement) => {
    const parsed = parseStatement(statement);
    if (!parsed) throw new StorageError('invalid', 'What was to be kept beside the log is no statement.');
    return parsed;
  });
}
