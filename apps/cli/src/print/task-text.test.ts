import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { terminalIo } from '../terminal/terminal-io.ts';
import { taskText } from './task-text.ts';

function io(stdin: Readable & { readonly isTTY?: boolean }) {
  const stderr = new PassThrough();
  return { ...terminalIo({ env: {}, cwd: '/', stdin, stdout: new PassThrough(), stderr }), printed: stderr };
}

const text = (words: readonly string[], piped: string, isResumed = false) =>
  taskText({ words, isResumed }, io(Readable.from([Buffer.from(piped)])));

test.for<readonly [words: readonly string[], piped: string, task: string]>([
  [['Fix', 'it.'], '', 'Fix it.'],
  [[], 'Fix it.\n', 'Fix it.'],
  [['-'], 'Fix it.\n', 'Fix it.'],
  [['Explain'], 'Error: x\n', 'Explain\n\nStandard input:\n\n```\nError: x\n```'],
  [['Explain', '-'], 'Error: x\n', 'Explain\n\nStandard input:\n\n```\nError: x\n```'],
  [['Explain'], 'a\n```\nb', 'Explain\n\nStandard input:\n\n````\na\n```\nb\n````'],
  [['Explain'], ' \n', 'Explain'],
])('the words %j with the input %j are the task %j', async ([words, piped, task]) => {
  expect(await text(words, piped)).toBe(task);
});

test('a resumed run reads standard input next to a task, or for a dash', async () => {
  expect(await text([], 'more', true)).toBe('');
  expect(await text(['-'], 'more', true)).toBe('more');
  expect(await text(['Explain'], 'more', true)).toContain('\nmore\n');
});

test('a pipe in which nothing arrives delays a typed task only for a while', async () => {
  const streams = io(new PassThrough());
  expect(await taskText({ words: ['Fix it.'], isResumed: false, waitMs: 10 }, streams)).toBe('Fix it.');
  expect(String(streams.printed.read())).toContain('Nothing arrived on standard input');
});

test('a terminal is not read', async () => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  expect(await taskText({ words: ['Fix it.'], isResumed: false }, io(stdin))).toBe('Fix it.');
});

test('a missing task and too long an input are errors', async () => {
  await expect(text([], '')).rejects.toMatchObject({ exitCode: 2, message: 'There is no task.' });
  const long = Readable.from(Array.from({ length: 20 }, () => Buffer.alloc(64 * 1024, 'x')));
  await expect(taskText({ words: ['Explain'], isResumed: false }, io(long))).rejects.toMatchObject({ exitCode: 2 });
});
