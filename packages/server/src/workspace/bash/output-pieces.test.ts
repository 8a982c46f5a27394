import { expect, test } from 'vitest';
import { redactor } from '@varve/text';
import { outputPieces } from './output-pieces.ts';

const size = 1024 * 1024;

test('pieces do not separate the parts of a character', () => {
  const pieces = outputPieces(redactor([], { replacement: '' }));
  const bytes = Buffer.from(`${'x'.repeat(size - 1)}😀y`);
  expect(pieces.add('stdout', bytes.subarray(0, size))).toEqual([]);
  const [first] = pieces.add('stdout', bytes.subarray(size));
  expect(first?.stdout).toHaveLength(size - 1);
  expect(pieces.end()).toEqual({ stdout: '😀y', stderr: null });
});

test('bytes that are not UTF-8 are replaced, and a byte order mark is kept', () => {
  const pieces = outputPieces(redactor([], { replacement: '' }));
  pieces.add('stderr', Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xc3]));
  expect(pieces.end()).toEqual({ stdout: null, stderr: '\uFEFFa\uFFFD\uFFFD' });
});

test('output beyond 64 MiB is dropped and counted', () => {
  const pieces = outputPieces(redactor([], { replacement: '' }));
  const full = Array.from({ length: 65 }, () => pieces.add('stdout', Buffer.alloc(size, 'x'))).flat();
  expect(full.every(({ stdout }) => stdout?.length === size)).toBe(true);
  const { stdout, stderr } = pieces.end();
  expect(full.length * size + (stdout?.length ?? 0)).toBe(64 * size);
  expect(stderr).toBe(`\n[${size} bytes of output left out]\n`);
});
