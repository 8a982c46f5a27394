import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { exportBundle, importBundle } from '@varve/storage/maintenance';
import { type Signer, memoryStore, StorageError } from '@varve/storage';
import { expect, test } from 'vitest';
import { newEvent } from '../src/testing/events.ts';
import { signer, thief, trusted } from './stored-log.ts';

/** A line of a bundle, parsed. */
type Line = Readonly<Record<string, unknown>> & { readonly statements?: readonly object[] };

/** Returns the lines of a bundle whose events are all signed. */
async function bundleOf(id: string, by: Signer): Promise<readonly Line[]> {
  await using store = memoryStore({ now: () => 1 });
  await using log = await store.create(id, {});
  for (let n = 0; n < 6; n += 1)
    await log.append([newEvent(`e${n}`, { note: `${by === thief ? 'evil' : n}` })], { signer: by });
  const lines = await Array.fromAsync(exportBundle(log, await store.summary(id)));
  return lines.map((line) => JSON.parse(line) as Line);
}

const original = await bundleOf('c', signer);
const others = { 'another log': await bundleOf('d', signer), 'another key': await bundleOf('c', thief) };
const size = original.length;

/** A change of the lines, at two places of them. */
type Change = (lines: readonly Line[], first: number, two: number) => readonly Line[];

const edit = (lines: readonly Line[], at: number, change: (line: Line) => Line): readonly Line[] =>
  lines.map((line, index) => (index === at ? change(line) : line));
const without = (line: Line, field: string): Line =>
  Object.fromEntries(Object.entries(line).filter(([name]) => name !== field));
const statementsOf = (line: Line | undefined): readonly object[] => line?.statements ?? [];

const changes: Readonly<Record<string, Change>> = {
  'removes a line': (lines, first) => lines.toSpliced(first, 1),
  'repeats a line': (lines, first, two) => lines.toSpliced(two, 0, ...lines.slice(first, first + 1)),
  'exchanges lines': (lines, one, two) => {
    const [first, second] = [lines[one], lines[two]];
    return first && second ? lines.with(one, second).with(two, first) : lines;
  },
  'edits a text': (lines, first) =>
    edit(lines, first, (line) => ({ ...line, text: String(line['text']).replace('note', 'NOTE') })),
  'edits an id': (lines, first) => edit(lines, first, (line) => ({ ...line, id: 'x' })),
  'edits a kind': (lines, first) => edit(lines, first, (line) => ({ ...line, kind: 'Other' })),
  'edits a parent': (lines, first) => edit(lines, first, (line) => ({ ...line, parent_id: 'e0' })),
  'removes a seal': (lines, first) => edit(lines, first, (line) => without(line, 'seal')),
  'removes statements': (lines, first) => edit(lines, first, (line) => without(line, 'statements')),
  'removes all seals': (lines) => lines.map((line) => without(line, 'seal')),
  'removes all statements': (lines) => lines.map((line) => without(line, 'statements')),
  'moves statements': (lines, first, two) =>
    edit(lines, first, (line) => ({
      ...line,
      statements: statementsOf(lines[two]).map((statement) => ({ ...statement, seq: line['seq'] })),
    })),
  'takes a line of another log': (lines, first) => edit(lines, first, (line) => others['another log'][first] ?? line),
  'takes a line of another key': (lines, first) => edit(lines, first, (line) => others['another key'][first] ?? line),
  'takes the rest from another key': (lines, first) => [
    ...lines.slice(0, first),
    ...others['another key'].slice(first),
  ],
  'adds statements of another key': (lines, first) =>
    edit(lines, first, (line) => ({
      ...line,
      statements: [...statementsOf(line), ...statementsOf(others['another key'][first])],
    })),
  'adds a cut': (lines, first, two) =>
    edit(lines, first, (line) => ({
      ...line,
      statements: [...statementsOf(line), { kind: 'cut', seq: line['seq'], end: two, cause: 'repaired', at: 1 }],
    })),
  'accepts events': (lines, first, two) =>
    edit(lines, first, (line) => ({
      ...line,
      statements: [...statementsOf(line), { kind: 'unsealed', seq: line['seq'], end: two, cause: 'accepted', at: 1 }],
    })),
  'names another conversation': (lines) => edit(lines, 0, (line) => ({ ...line, id: 'd' })),
  'changes the end': (lines, first) => edit(lines, lines.length - 1, (line) => ({ ...line, end: first })),
  'removes the recorded end': (lines) => edit(lines, lines.length - 1, (line) => without(line, 'sealed')),
};

/** Writes lines with a checksum that is right. */
async function* written(lines: readonly Line[]): AsyncGenerator<string> {
  const body = lines.slice(0, -1).map((line) => `${JSON.stringify(line)}\n`);
  const sha256 = createHash('sha256').update(body.join('')).digest('hex');
  yield `${body.join('')}${JSON.stringify({ ...lines.at(-1), sha256 })}\n`;
}

/** Returns the texts of what a bundle became; undefined if it was refused. */
async function imported(lines: readonly Line[]): Promise<readonly string[] | undefined> {
  await using store = memoryStore({ now: () => 1 });
  try {
    await importBundle(written(lines), store, { trusted });
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
  const log = await store.read(String(lines[0]?.['id']));
  return await Array.fromAsync(log.range(0), ({ text }) => text);
}

test('however a bundle is changed, what is imported under a trusted key is what that key signed', async () => {
  const signed = new Map<unknown, readonly string[] | undefined>([
    ['c', await imported(original)],
    ['d', await imported(others['another log'])],
  ]);
  expect([...signed.values()].map((texts) => texts?.length)).toEqual([6, 6]);
  let accepted = 0;
  const place = fc.nat(size);
  const attack = fc.array(fc.tuple(fc.constantFrom(...Object.values(changes)), place, place), {
    minLength: 1,
    maxLength: 4,
  });
  const property = fc.asyncProperty(attack, async (steps) => {
    const lines = steps.reduce((before, [change, first, two]) => change(before, first, two), original);
    const texts = await imported(lines);
    if (texts === undefined) return;
    accepted += 1;
    expect(signed.get(lines[0]?.['id'])?.slice(0, texts.length)).toEqual(texts);
  });
  await fc.assert(property, { numRuns: 10_000 });
  expect(accepted).toBeGreaterThan(100);
});
