import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const folder = join(import.meta.dirname, '..');

test('the first snippet of the README runs and prints what it promises', async () => {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const code = /^```ts\n([\s\S]*?)^```$/m.exec(readme)?.[1] ?? '';
  const args = ['--conditions=@varve/source', '--input-type=module-typescript', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: folder,
    env: { NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  });
  expect(stdout).toMatch(/^200 \{/);
  expect(stdout).toMatch(/^1$/m);
});
