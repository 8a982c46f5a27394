import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const roots = ['../src/', './'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const parity = readFileSync(new URL('../../../docs/parity.md', import.meta.url), 'utf8');

/** How many cases each list has; of the terminal those from 53 to 59 do not exist. */
const lists: readonly (readonly [prefix: string, count: number])[] = [
  ['TE-', 75],
  ['FE-', 67],
  ['AP-R', 14],
  ['WS-', 25],
  ['A', 12],
  ['E', 9],
  ['P', 8],
  ['G', 5],
  ['D', 5],
];
const cases = lists
  .flatMap(([prefix, count]) =>
    Array.from(
      { length: count },
      (_, index) => prefix + String(index + 1).padStart(/^(?:TE|FE|WS)/.test(prefix) ? 2 : 1, '0'),
    ),
  )
  .filter((name) => !/^TE-5[3-9]$/.test(name));

const one = String.raw`(?:TE-|FE-|AP-R|WS-|[AEPGD])\d+`;

/** The cases that titles of tests and of the checks of a contract begin with. */
function tested(): readonly string[] {
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => /(?:\.test|-checks|-contract)\.ts$/.test(name))
      .map((name) => join(root, name)),
  );
  return files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const titles = text.matchAll(new RegExp(`['\`](${one}(?:, ${one})*): `, 'g'));
    return [...titles].flatMap(([, names = '']) => names.split(', '));
  });
}

/** The cases of the table that tells why there is no test. */
function explained(): readonly string[] {
  return [...parity.matchAll(new RegExp(`^\\| (${one}) +\\| [^|]+ \\| [^|]+ \\|$`, 'gm'))].map(([, name = '']) => name);
}

test('every numbered case has a test named after it, or a line that tells why not', () => {
  const told = new Set([...tested(), ...explained()]);
  expect(cases.filter((name) => !told.has(name))).toEqual([]);
});

test('no title and no line names a case that does not exist', () => {
  const known = new Set(cases);
  expect([...tested(), ...explained()].filter((name) => !known.has(name))).toEqual([]);
});

test('no case that has a test is explained away', () => {
  const named = new Set(tested());
  expect(explained().filter((name) => named.has(name))).toEqual([]);
});
