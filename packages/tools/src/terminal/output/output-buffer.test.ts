import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutputBuffer } from './output-buffer.ts';

const withBuffer = async (
  maxChars: number,
  work: (buffer: OutputBuffer, directory: string) => Promise<void>,
): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'varve-output-'));
  try {
    await work(new OutputBuffer({ maxChars, directory, maxSavedBytes: 5000 }), directory);
  } finally {
    await rm(directory, { recursive: true });
  }
};

test('output is taken only once', () =>
  withBuffer(100, async (buffer) => {
    buffer.push('one\n');
    expect(buffer.take()).toEqual({ text: 'one' });
    buffer.push('two');
    expect(buffer.take()).toEqual({ text: 'two' });
    expect(buffer.isEmpty).toBe(true);
  }));

test('both ends of long output are kept for any chunks, and the file has all of it', () =>
  withBuffer(200, async (buffer) => {
    const lines = Array.from({ length: 400 }, (_, index) => `${index}\n`);
    for (const line of lines) buffer.push(line);
    const { text, file = '' } = buffer.take();
    expect(text.startsWith('0\n1\n')).toBe(true);
    expect(text.endsWith('\n398\n399')).toBe(true);
    expect(text.length).toBeLessThanOrEqual(200);
    expect(await readFile(file, 'utf8')).toBe(lines.join(''));
  }));

test('equal outputs share one file', () =>
  withBuffer(200, async (buffer, directory) => {
    for (const _ of [1, 2]) {
      buffer.push('same '.repeat(100));
      buffer.take();
    }
    expect(await readdir(directory)).toEqual([expect.stringMatching(/^terminal_output_[0-9a-f]{8}\.txt$/)]);
  }));

test('the file ends at its limit, and discarding removes it', () =>
  withBuffer(200, async (buffer, directory) => {
    buffer.push('x'.repeat(9000));
    expect(await readFile(buffer.take().file ?? '', 'utf8')).toHaveLength(5000);
    buffer.push('y'.repeat(300));
    buffer.discard();
    expect(await readdir(directory)).toHaveLength(1);
  }));

test('output that cannot be saved is still shown', () =>
  withBuffer(200, async (_, directory) => {
    await writeFile(join(directory, 'file'), '');
    const buffer = new OutputBuffer({ maxChars: 200, directory: join(directory, 'file'), maxSavedBytes: 5000 });
    for (let line = 0; line < 400; line += 1) buffer.push(`${line}\n`);
    const { text, file } = buffer.take();
    expect(file).toBeUndefined();
    expect(text).toMatch(/^0\n1\n[^]*could not be saved[^]*\n399$/);
    buffer.push('next');
    expect(buffer.take()).toEqual({ text: 'next' });
  }));

test('output whose file is removed is still shown', () =>
  withBuffer(200, async (buffer, directory) => {
    buffer.push('x'.repeat(300));
    for (const name of await readdir(directory)) await rm(join(directory, name));
    expect(buffer.take()).toEqual({ text: expect.stringContaining('could not be saved') });
  }));
