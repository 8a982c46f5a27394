import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root, subpathsOf, workspacePackages } from './workspace.ts';

/** Prints which files build schemas while `entries` are imported, and their number; then the number after one more. */
const script = (entries: readonly string[]): string => `
import * as z from 'zod';
const files = new Set();
let built = 0;
Error.stackTraceLimit = 100;
z.config({ postProcessor: () => {
  built += 1;
  for (const file of new Error().stack.match(/packages\\/[^:)]*/g) ?? []) files.add(file);
} });
for (const entry of ${JSON.stringify(entries)}) await import(entry);
console.log(JSON.stringify({ files: [...files], built }));
z.string();
console.log(JSON.stringify({ built }));`;

test('importing the entries of the packages builds no schema', { timeout: 60_000 }, async () => {
  const packages = workspacePackages().filter(({ folder }) => folder.startsWith('packages/'));
  const entries = packages.flatMap(subpathsOf).map(({ source }) => join(root, source));
  const args = ['--conditions=@varve/source', '--no-warnings', '--input-type=module', '--eval', script(entries)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(root, 'packages/events') });
  const printed = stdout
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  expect(printed).toEqual([{ files: [], built: 0 }, { built: 1 }]);
});
