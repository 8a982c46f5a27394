import { expect, test } from 'vitest';
import { matchesTool } from './tool-matcher.ts';

test.for([
  ['', 'terminal', true],
  ['*', undefined, true],
  ['terminal', undefined, false],
  ['terminal', 'terminal', true],
  ['terminal', 'terminal_2', false],
  ['term.*', 'terminal', true],
  ['file_editor|terminal', 'terminal', true],
  ['/term/', 'terminal', false],
  ['/[/', 'terminal', false],
  ['a[', 'a[', true],
  ['(?=terminal).*', 'terminal', false],
] as const)('the matcher %j and the tool %j: %j', ([matcher, tool, expected]) => {
  expect(matchesTool(matcher, tool)).toBe(expected);
});

test('an expression that makes other engines backtrack for years is decided', () => {
  expect(matchesTool('(a+)+(b+)+(a*)*c', `${'a'.repeat(60)}d`)).toBe(false);
});
