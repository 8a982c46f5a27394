import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const files = globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }).toSorted();

test('examples are numbered from 01 without gaps', () => {
  const numbers = files.map((_, index) => String(index + 1).padStart(2, '0'));
  expect(files.map((file) => /^(\d\d)-[a-z0-9-]+\.ts$/.exec(file)?.[1] ?? file)).toEqual(numbers);
});

test.for(files)('%s starts with a comment that names its subject', (file) => {
  expect(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')).toMatch(/^(\/\/|\/\*\*?) \S/);
});

/** Runs each example in its own process with an environment that cannot change the output. */
test.for(files)('%s prints its golden output', async (file) => {
  const { stdout } = await run(process.execPath, ['--conditions=@varve/source', file], {
    cwd: import.meta.dirname,
    env: { PATH: process.env['PATH'], TZ: 'UTC' },
  });
  await expect(stdout).toMatchFileSnapshot(`golden/${file.replace(/\.ts$/, '.txt')}`);
});
