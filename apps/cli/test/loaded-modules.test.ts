import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { scriptedServer } from '@varve/llm/testing';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Writes what a process loads to a file when it ends. */
const recorder = (file: string): string =>
  `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
import { writeFileSync } from 'node:fs';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
process.on('exit', () => {
  const builtin = process.moduleLoadList.filter((name) => name.endsWith('undici/undici'));
  writeFileSync(${JSON.stringify(file)}, JSON.stringify([...loaded, ...builtin]));
});`)}`;

/** Runs Node with sources and returns the files that it loaded, and whether it loaded its `fetch`. */
async function loadedBy(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'varve-'));
  const file = join(directory.path, 'loaded.json');
  const options = ['--conditions=@varve/source', '--no-warnings', `--import=${recorder(file)}`];
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const variables = { PATH, NODE_COMPILE_CACHE, HOME: directory.path, ...env };
  await promisify(execFile)(process.execPath, [...options, ...args], { cwd: root, env: variables });
  return JSON.parse(await readFile(file, 'utf8')) as string[];
}

/** Packages and modules of Node that are loaded when they are used; the validator of the MCP client is not. */
const lazy =
  /node_modules\/(?:yaml|openai|@opentelemetry\/api|@modelcontextprotocol\/client\/dist\/(?:index|stdio)|@agentclientprotocol\/sdk)\b|undici|^node:http2|events\/src\/spans\/|host\/src\/otlp\/otlp-(?:exporter|variables)/;

/** Most modules that an entry may load: a module costs a start from sources about a millisecond. */
test.for([
  ['text', 27],
  ['events', 115],
  ['llm', 275],
  ['storage', 70],
  ['tools', 290],
  ['agent', 815],
  ['settings', 182],
] as const)('@varve/%s loads at most %i modules', { timeout: 60_000 }, async ([name, most]) => {
  const entry = join(root, 'packages', name, 'src/index.ts');
  const loaded = await loadedBy(['--input-type=module', '--eval', `await import(${JSON.stringify(entry)})`]);
  expect(loaded.filter((file) => lazy.test(file))).toEqual([]);
  expect(loaded.length).toBeLessThanOrEqual(most);
});

test('a varve run tests its sandbox while it loads at most 1090 modules', { timeout: 60_000 }, async () => {
  await using server = await scriptedServer([{ calls: [{ name: 'finish', arguments: { message: 'done' } }] }]);
  const main = join(root, 'apps/cli/src/main.ts');
  const options = ['--base-url', server.url, '--model', 'scripted', '--confirm', 'never'];
  const loaded = await loadedBy([main, 'run', ...options, 'go'], { LLM_API_KEY: 'key-0123456789' });
  expect(loaded.filter((file) => lazy.test(file))).toEqual([]);
  expect(loaded.length).toBeLessThanOrEqual(1090);
  const [probe, start] = ['sandbox/src/probe.ts', 'cli/src/start.ts'].map((end) =>
    loaded.findIndex((file) => file.endsWith(end)),
  );
  expect(probe).toBeLessThan(start ?? 0);
});
