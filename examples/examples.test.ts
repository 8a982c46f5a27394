import { execFile } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';

const run = promisify(execFile);
const files = globSync('*.ts', { cwd: import.meta.dirname, exclude: ['*.test.ts'] }).toSorted();
const [hello = '', ...scripted] = files;

/** Runs Node with an environment that cannot change the output of an example. */
async function outputOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const { stdout } = await run(process.execPath, ['--conditions=@varve/source', ...args], {
    cwd: import.meta.dirname,
    env: { PATH, NODE_COMPILE_CACHE, TZ: 'UTC', ...env },
  });
  return stdout;
}

/**
 * Runs examples one after the other in a process, which must end by itself, and returns what each printed. Separate
 * processes would need most of their time to load the same modules.
 */
async function outputsOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const each = names.map((file) => `process.stdout.write('\\x1e${file}\\x1e'); await import('./${file}');`);
  const parts = (await outputOf(['--input-type=module', '--eval', each.join('\n')])).split('\x1e').slice(1);
  return new Map(names.map((file) => [file, parts[parts.indexOf(file) + 1] ?? '']));
}

const goldenOf = (file: string): string => `golden/${file.replace(/\.ts$/, '.txt')}`;

test('examples are numbered from 00 without gaps', () => {
  const numbers = files.map((_, index) => String(index).padStart(2, '0'));
  expect(files.map((file) => /^(\d\d)-[a-z0-9-]+\.ts$/.exec(file)?.[1] ?? file)).toEqual(numbers);
});

test.for(files)('%s starts with a comment that names its subject', (file) => {
  expect(readFileSync(`${import.meta.dirname}/${file}`, 'utf8')).toMatch(/^(\/\/|\/\*\*?) \S/);
});

describe('the others', () => {
  let outputs: ReadonlyMap<string, string>;
  beforeAll(async () => {
    outputs = await outputsOf(scripted);
  });

  test.for(scripted)('%s prints its golden output', async (file) => {
    await expect(outputs.get(file)).toMatchFileSnapshot(goldenOf(file));
  });
});

test(`${hello} has eight lines and runs on the model that the environment names`, async () => {
  await using server = await scriptedServer([
    { calls: [{ name: 'file_editor', arguments: { command: 'view', path: import.meta.dirname } }] },
    { text: 'Numbered examples, from the shortest agent to child conversations.' },
  ]);
  const env = { LLM_MODEL: 'openai/scripted', LLM_BASE_URL: server.url, LLM_API_KEY: 'not-a-key' };
  await expect(await outputOf([hello], env)).toMatchFileSnapshot(goldenOf(hello));
  server.assertDone();
  expect(
    readFileSync(`${import.meta.dirname}/${hello}`, 'utf8')
      .trimEnd()
      .split('\n'),
  ).toHaveLength(8);
});
