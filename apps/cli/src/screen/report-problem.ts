import { StorageError } from '@varve/storage';
import { withCommandName } from '../terminal/command-name.ts';
import { describeFailure } from '../home/describe-failure.ts';
import type { Screen } from './screen.ts';

/** Prints why something failed. A bug is thrown again. */
export function reportProblem(error: unknown, screen: Screen): void {
  if (isHeld(error)) {
    screen.print('Another window works on this conversation. It is read-only here.', 'yellow');
    screen.print('When that one has ended, a message or /continue works on it here.', 'dim');
    return;
  }
  const failure = error instanceof Error ? (describeFailure(error) ?? { message: error.message }) : undefined;
  if (!failure) throw error;
  screen.print(failure.message, 'red');
  if ('hint' in failure && failure.hint !== undefined) screen.print(withCommandName(failure.hint, screen.io), 'dim');
}

/** Reports whether an error is about a conversation that another process holds. */
export function isHeld(error: unknown): boolean {
  return error instanceof StorageError && error.code === 'held';
}
