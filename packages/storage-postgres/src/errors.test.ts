import { expect, test } from 'vitest';
import { DatabaseFailure, toStorageError } from './errors.ts';

test.for<readonly [state: string, code: string, message: string]>([
  ['42P05', 'io', 'postgres://h/d is reached through a pooler that keeps no prepared statements.'],
  ['26000', 'io', 'postgres://h/d is reached through a pooler that keeps no prepared statements.'],
  ['25006', 'io', 'postgres://h/d is read-only, as a standby is.'],
  ['53100', 'full', 'There is no space left for postgres://h/d.'],
])('the state %s of a database is the failure %s in one sentence', ([state, code, message]) => {
  expect(toStorageError(new DatabaseFailure('No.', state), 'postgres://h/d')).toMatchObject({ code, message });
});
