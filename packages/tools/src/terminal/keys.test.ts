import { expect, test } from 'vitest';
import { keystroke } from './keys.ts';

test.for([
  ['C-c', '\u0003'],
  ['ctrl+d', '\u0004'],
  [' CTRL-z ', '\u001A'],
  ['tab', '\t'],
  ['BS', '\u007F'],
  ['ESC', '\u001B'],
  ['UP', '\u001B[A'],
  ['DOWN', '\u001B[B'],
  ['RIGHT', '\u001B[C'],
  ['LEFT', '\u001B[D'],
  ['HOME', '\u001B[H'],
  ['END', '\u001B[F'],
  ['PGUP', '\u001B[5~'],
  ['PGDN', '\u001B[6~'],
  ['ENTER', '\r'],
] as const)('%s is a key', ([input, text]) => {
  expect(keystroke(input)).toMatchObject({ kind: 'key', text });
});

test.for([
  ['y', 'y\r'],
  ['C-', 'C-\r'],
  ['C-cc', 'C-cc\r'],
  ['up there', 'up there\r'],
  ['  indented', '  indented\r'],
  ['TEXT:UP', 'UP\r'],
  ['TEXT:TEXT:', 'TEXT:\r'],
] as const)('%j is a line of text', ([input, text]) => {
  expect(keystroke(input)).toEqual({ kind: 'line', text });
});
