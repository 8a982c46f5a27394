import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Progress } from './progress.ts';
import { usageText } from '../wording/usage-text.ts';
import { outputOf } from '../terminal/output.ts';

const usage = {
  calls: 2,
  input_tokens: 12_400,
  output_tokens: 800,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: 0.0123,
  unpriced_calls: 0,
  latency_ms: 10,
};

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const stderr = Object.assign(new PassThrough(), { isTTY, columns: 60 });
  stderr.on('data', (chunk: Buffer) => written.push(chunk.toString()));
  return { io: { stderr: outputOf(stderr, { NO_COLOR: '1' }) }, written };
}

test('without a terminal only lines are printed', () => {
  const { io, written } = terminal(false);
  using progress = new Progress(io);
  progress.set('thinking', usage);
  progress.above('a line');
  expect(written).toEqual(['a line\n']);
});

test('on a terminal the status is below the lines, reserves columns for ^C, and is cleared at the end', () => {
  const { io, written } = terminal(true);
  let now = 0;
  const progress = new Progress(io, () => now);
  now = 61_000;
  progress.set('thinking', usage);
  expect(written.at(-1)).toBe('thinking · 1:01 · 2 model calls · 12.4k in / 800 ou…');
  progress.above('a line');
  expect(written.slice(-3, -1)).toEqual(['\r\u001B[2K', 'a line\n']);
  progress[Symbol.dispose]();
  expect(written.at(-1)).toBe('\r\u001B[2K');
});

test('values that the provider did not report are not invented', () => {
  expect(usageText({ ...usage, unpriced_calls: 2, cost_usd: 0 })).toBe('2 model calls · 12.4k in / 800 out');
  expect(usageText({ ...usage, unpriced_calls: 1 })).toContain(' · at least $0.0123');
  expect(usageText({ ...usage, calls: 1, input_tokens: 0, output_tokens: 0 })).toBe('1 model call · $0.0123');
});

test('the status is hidden during a question', async () => {
  const { io, written } = terminal(true);
  using progress = new Progress(io);
  await progress.hiddenDuring(async () => {
    written.length = 0;
    progress.set('thinking', usage);
  });
  expect(written).toEqual([]);
});

test('nothing is printed below a question, and what arrived in between after the answer', async () => {
  const { io, written } = terminal(true);
  using progress = new Progress(io);
  await progress.hiddenDuring(async () => {
    written.length = 0;
    progress.above('Approve this tool call?');
    progress.above(['\n', 'Choice: ']);
    expect(written).toEqual([]);
  });
  expect(written.filter((text) => text.endsWith('\n') || text.endsWith(': '))).toEqual([
    'Approve this tool call?\n',
    '\nChoice: \n',
  ]);
});

test('what a line quotes never looks like another line, also after a question', async () => {
  const { io, written } = terminal(false);
  using progress = new Progress(io);
  const print = () => {
    for (const end of ['\n', '\r', '\r\n', '\u0085', '\u2028', '\u000B'])
      progress.lineAbove(`It printed: a${end}Resume with: b`);
  };
  print();
  await progress.hiddenDuring(async () => print());
  expect(written).toEqual(Array.from({ length: 12 }, () => 'It printed: a Resume with: b\n'));
});
