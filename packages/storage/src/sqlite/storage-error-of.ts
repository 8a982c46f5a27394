import { StorageError, type StorageErrorCode } from '../contract/error.ts';
import { errnoOf } from '../kit/errno-of.ts';
import { resultCode, resultCodes } from './result-code.ts';
import { whyNot } from './why-not.ts';

type Answer = readonly [code: StorageErrorCode, message: (path: string) => string];

const answers: Readonly<Record<number, Answer>> = {
  [resultCodes.busy]: ['io', (path) => `${path} stayed locked by another process.`],
  [resultCodes.locked]: ['io', (path) => `${path} stayed locked by another process.`],
  [resultCodes.protocol]: ['io', (path) => `${path} stayed locked by another process.`],
  [resultCodes.readOnly]: ['io', (path) => whyNot(path)],
  [resultCodes.io]: ['io', (path) => `Reading or writing ${path} failed.`],
  [resultCodes.corrupt]: ['corrupt', (path) => `${path} is damaged.`],
  [resultCodes.full]: ['full', (path) => `There is no space left for ${path}.`],
  [resultCodes.cannotOpen]: ['io', (path) => whyNot(path)],
  [resultCodes.tooBig]: ['invalid', (path) => `A text is too large for ${path}.`],
  [resultCodes.notADatabase]: ['corrupt', (path) => `${path} is not a SQLite database.`],
};

/** Says in our words what failed with the database at `path`. What only a bug explains comes back as it is. */
export function storageErrorOf(error: unknown, path: string): unknown {
  if (error instanceof StorageError) return error;
  const [code, message] = answerTo(error) ?? [];
  return code && message ? new StorageError(code, message(path), { cause: error }) : error;
}

function answerTo(error: unknown): Answer | undefined {
  const errno = errnoOf(error);
  if (errno === undefined) return answers[resultCode(error) ?? 0];
  return [errno === 'ENOSPC' || errno === 'EDQUOT' ? 'full' : 'io', (path) => whyNot(path, errno)];
}
