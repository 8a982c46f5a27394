import { expect, test } from 'vitest';
import { longFunctions, measure } from './measure.ts';
import { exceeded, lowered, mapCounts, type Counts, type Ratchets } from './ratchets.ts';
import { readText, workspacePackages } from './workspace.ts';

const ratchets = JSON.parse(readText('tests/ratchets.json')) as Ratchets;
const { counts, places } = measure(workspacePackages().filter(({ folder }) => folder !== 'examples'));

const toRaise =
  'Remove as many from the same package: what nothing uses, what exists twice, a name that nothing imports (decision 0103). ' +
  'If the package needs more, add the higher limit with its reason to `raised` in tests/ratchets.json: ' +
  '{ "package": …, "measure": …, "limit": …, "why": "…" }.';

test('no number of a package is above its limit', () => {
  expect(exceeded(counts, ratchets, places), toRaise).toEqual([]);
});

test('limits are lowered where a number fell', async () => {
  const message = 'Numbers fell, or a package is new: `pnpm test tests/ratchets -u` writes the limits.';
  const text = `${JSON.stringify(lowered(counts, ratchets), null, 2)}\n`;
  await expect(text, message).toMatchFileSnapshot('ratchets.json');
});

test('each higher limit has a reason', () => {
  expect(ratchets.raised.filter(({ why }) => why.length < 20)).toEqual([]);
});

const row = { ...mapCounts(() => 0), lines: 1000, circles: 1 };
const present = { limits: { 'packages/a': row }, raised: [] };

const withLines = (lines: number) => ({ 'packages/a': { ...row, lines } });

test('a number above its limit is reported with what was counted', () => {
  const circles = ['packages/a/x.ts packages/a/y.ts', 'packages/b/z.ts packages/b/w.ts'];
  expect(exceeded({ 'packages/a': { ...row, circles: 2 } }, present, { circles })).toEqual([
    'packages/a has 2 import circles; the limit of circles is 1. packages/a/x.ts packages/a/y.ts',
  ]);
  expect(exceeded({ 'packages/a': row, 'packages/new': row }, present, {})).toEqual([]);
});

const limits = (numbers: Partial<Counts>): Partial<Counts> =>
  lowered({ 'packages/a': { ...row, ...numbers } }, present).limits['packages/a'] ?? {};

test('a limit is lowered when the number fell by more than the slack, and never raised', () => {
  expect(limits({ lines: 501 }).lines).toBe(1000);
  expect(limits({ lines: 500 }).lines).toBe(500);
  expect(limits({ lines: 2000, circles: 0 })).toMatchObject({ lines: 1000, circles: 0 });
});

test('a higher limit is in force until the number falls below the former one', () => {
  const higher = { package: 'packages/a', measure: 'lines', limit: 3000, why: 'Two models.' } as const;
  const raised = { ...present, raised: [higher] };
  expect(exceeded(withLines(3000), raised, {})).toEqual([]);
  expect(exceeded(withLines(3001), raised, {})).toHaveLength(1);
  expect(lowered(withLines(2950), raised).raised).toEqual([higher]);
  expect(lowered(withLines(2000), raised).raised).toEqual([{ ...higher, limit: 2000 }]);
  expect(lowered(withLines(990), raised).raised).toEqual([]);
});

const body = (lines: number): string => `{\n${'  a();\n'.repeat(lines - 2)}}`;

test('a function of more than 40 lines counts, also within another one', () => {
  expect(longFunctions(`function a() ${body(40)}\nconst b = () => ${body(40)};`)).toEqual([]);
  expect(longFunctions(`function a() ${body(41)}`)).toEqual([1]);
  expect(longFunctions(`class A {\n  a() {\n    return () => ${body(41)};\n  }\n}`)).toEqual([2, 3]);
});
