import { expect, test } from 'vitest';
import { StorageError } from '@varve/storage';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { describeFailure, failureText } from './describe-failure.ts';

const full = new StorageError('full', 'There is no space left for varve.db.');
const failed = new StorageError('io', 'The disk failed to read or write varve.db.');
const bug = new TypeError('x is not a function');

test('a failure to close what was open does not hide the failure that ended the work', async () => {
  const work = async (): Promise<void> => {
    await using open = new AsyncDisposableStack();
    open.defer(() => Promise.reject(failed));
    await using inner = new AsyncDisposableStack();
    inner.defer(() => Promise.reject(failed));
    throw full;
  };
  const error: unknown = await work().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SuppressedError);
  expect(describeFailure(error)).toEqual(describeFailure(full));
});

test.for([
  [full, bug],
  [bug, full],
])('a bug is reported as one, whether it happens during the work or when it is closed', ([suppressed, error]) => {
  expect(describeFailure(new SuppressedError(error, suppressed))).toBeUndefined();
});

test('in a clone, the text of a failure for a client has the command of the clone', () => {
  const missing = new StorageError('missing', 'There is no conversation x.');
  const textIn = (env: TerminalIo['env']): string => failureText(missing, { env } as TerminalIo);
  expect(textIn({})).toContain(' `varve ls` lists');
  const started = { npm_lifecycle_event: 'start', npm_config_user_agent: 'pnpm/12.0.0' };
  expect(textIn(started)).toContain(' `npx -y pnpm@12 -s start ls` lists');
});
