import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { expect, test } from 'vitest';
import { openedTool } from '../testing/opened-tool.ts';
import { fileEditor } from './file-editor.ts';

interface View {
  readonly text: string;
  readonly isError: boolean;
}

/** Views a range of a file above the size limit. */
async function view(content: string | Buffer, range: readonly number[] | undefined): Promise<View> {
  await using tool = await openedTool(fileEditor({ maxFileBytes: 10, maxViewChars: 1000 }));
  const path = join(tool.workspace, 'file');
  await writeFile(path, content);
  const seen = await tool.call({ command: 'view', path, ...(range && { view_range: range }) });
  return { text: textOf(seen.content).replaceAll(path, 'file'), isError: seen.is_error };
}

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test.for([
  ['a range in the middle', 100_000, [50_000, 50_001], 'lines 50000 to 50001:\n 50000\tline 50000\n 50001\tline 50001'],
  ['a range to the end', 10, [9, -1], 'lines 9 to 10:\n     9\tline 9\n    10\tline 10'],
  ['one line', 10, [3, 3], 'lines 3 to 3:\n     3\tline 3'],
  ['a range beyond the end', 10, [10, 12], 'lines 10 to 10 (NOTE: it has only 10 lines, not 12):\n    10\tline 10'],
] as const)('%s of a huge file', async ([, count, range, expected]) => {
  expect((await view(lines(count), range)).text).toBe(`file as \`cat -n\` shows it, ${expected}`);
});

test('a truncated view states the range to view next', async () => {
  const { text } = await view(lines(1000), [101, 900]);
  expect(text).toMatch(/^file as .*\n {3}101\tline 101\n/);
  expect(text).toMatch(/\n {3}(\d+)\tline \1\n\[The view is full; view_range \[\d+, 900\] continues it\.\]$/);
  expect(text.length).toBeLessThan(1100);
});

test('a last line without a line end, and CRLF line ends, are shown', async () => {
  expect((await view('one\r\ntwo\r\nthree', [2, 3])).text).toContain('     2\ttwo\n     3\tthree');
});

test('the middle of a line that is too long is omitted', async () => {
  const { text } = await view(`a${'x'.repeat(1_000_000)}z\nlast\n`, [1, 1]);
  expect(text).toMatch(/ 1\tax+\[the middle of this line left out\]x+z$/);
  expect(text.length).toBeLessThan(1200);
});

test.for([
  ['without a range', undefined, /too large.*view_range/],
  ['after the end', [11, 12], /within \[1, 10\]/],
  ['before the first line', [0, 2], /from 1 on/],
  ['backwards', [3, 1], /from 1 on/],
  ['of one number', [1], /two line numbers/],
] as const)('a huge file is not shown: %s', async ([, range, reason]) => {
  const { text, isError } = await view(lines(10), range);
  expect(isError).toBe(true);
  expect(text).toMatch(reason);
});

test('a huge binary file is refused', async () => {
  expect((await view(Buffer.alloc(100), [1, 2])).text).toContain('binary');
});
