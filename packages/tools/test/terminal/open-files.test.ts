import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { backends } from '../support/open-terminal.ts';

const source = (path: string): string => JSON.stringify(fileURLToPath(new URL(`../../src/${path}`, import.meta.url)));

/** Runs a module that has `exhaust()`, which opens files until there are too many, and returns what it prints. */
async function outputWithFewFiles(body: string): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'varve-open-files-')));
  await using _ = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
  const host = join(directory, 'host.ts');
  await writeFile(
    host,
    `import { openSync } from 'node:fs';
function exhaust() {
  try {
    for (;;) openSync('/dev/null', 'r');
  } catch (error) {
    process.stdout.write(error.code + ' ');
  }
}
${body}`,
  );
  const limited = ['-c', 'ulimit -n 256; exec "$@"', 'sh', process.execPath, '--conditions=@varve/source', host];
  const { stdout } = await promisify(execFile)('sh', limited, { env: { ...process.env, TMPDIR: directory } });
  return stdout;
}

const isLinux = process.platform === 'linux';

test.runIf(isLinux).for(backends)(
  'a terminal on a %s closes in a process with too many open files',
  async ([, pty]) => {
    const output = await outputWithFewFiles(`
import { terminal } from ${source('terminal/terminal.ts')};
const tool = terminal({ pty: ${pty} });
await tool.execute(tool.parse({ command: 'echo 1' }), {
  workspace: '/', signal: new AbortController().signal, idempotencyKey: 'host',
});
exhaust();
await tool.close();
console.log('closed');
process.exit(0);
`);
    expect(output).toBe('EMFILE closed\n');
  },
);

test.runIf(isLinux)('a process that cannot be examined has not ended', async () => {
  const output = await outputWithFewFiles(`
import { hasEnded } from ${source('processes/process-record.ts')};
import { processEntry } from ${source('processes/process-table.ts')};
const own = processEntry(process.pid);
exhaust();
console.log(hasEnded(own), hasEnded({ ...own, pid: 2 ** 22 + 1 }));
`);
  expect(output).toBe('EMFILE false false\n');
});
