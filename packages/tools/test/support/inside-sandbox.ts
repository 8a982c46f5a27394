import { tmpdir } from 'node:os';
import { openSandbox } from '@varve/sandbox';
import type { ProgramSandbox } from '../../src/processes/program-sandbox.ts';

/** Set to run the tests of the terminal with all shells in a sandbox. */
export const isInside = process.env['VARVE_TEST_SANDBOX'] === '1';

/** Returns the sandbox of the tests as an option of a terminal; nothing without one. */
export function insideSandbox(): { readonly sandbox?: ProgramSandbox } {
  if (!isInside) return {};
  const sandbox = openSandbox({ profile: 'test', writable: [tmpdir()], readOnly: [], hidden: [], network: 'off' });
  process.once('exit', () => sandbox.close());
  return { sandbox };
}
