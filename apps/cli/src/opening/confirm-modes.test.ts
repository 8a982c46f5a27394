import { expect, test } from 'vitest';
import { modeOfClient } from './confirm-modes.ts';

test.for([
  ['NeverConfirm', 'auto', 'auto'],
  ['ConfirmRisky', 'auto', 'auto'],
  ['ConfirmAllButEdits', 'auto', undefined],
  ['AlwaysConfirm', 'never', undefined],
  ['PolicyOfAProgram', 'ask', undefined],
] as const)('a program whose mode is that of its settings continues %s with %s as %s', ([kind, own, mode]) => {
  expect(modeOfClient({ kind, threshold: 'HIGH' }, own)).toBe(mode);
});

test('a program continues a conversation without a policy in its own mode', () => {
  expect(modeOfClient(undefined, 'edits')).toBe('edits');
});
