import { expect, test } from 'vitest';
import { repairCommand } from './argument-vector.ts';

test.for<[readonly unknown[], unknown]>([
  [['bash', '-lc', 'touch a'], `bash -lc 'touch a'`],
  [['echo', `it's`, '$HOME', ''], String.raw`echo 'it'\''s' '$HOME' ''`],
  [['ls -la'], ['ls -la']],
  [
    ['a', 1],
    ['a', 1],
  ],
  [[], []],
])('the command %j becomes %j', ([command, expected]) => {
  expect(repairCommand({ command, timeout: 3 })).toEqual({ command: expected, timeout: 3 });
});

test('text stays as it is', () => {
  expect(repairCommand({ command: 'a b' })).toEqual({ command: 'a b' });
});

test.for<[Record<string, unknown>, Record<string, unknown>]>([
  [{ cmd: 'ls', description: 'Lists' }, { command: 'ls' }],
  [{ cmd: ['ls', '-l'] }, { command: 'ls -l' }],
  [{ command: 'a', run_in_background: false }, { command: 'a' }],
  [{ command: 'a\nb', is_background: true }, { command: '{\na\nb\n} &' }],
  [
    { command: 'a', cmd: 'b' },
    { command: 'a', cmd: 'b' },
  ],
  [
    { cmd: 'a', script: 'b' },
    { cmd: 'a', script: 'b' },
  ],
])('the call %j of another tool becomes %j', ([fields, expected]) => {
  expect(repairCommand(fields)).toEqual(expected);
});
