import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { newHome, runVarve, type Invocation } from './run-varve.ts';

const canaries = {
  TOKEN: 'canary-token-5f1e2d3c',
  MODEL_KEY: 'canary-model-9a8b7c6d',
  LOOKED_UP: 'canary-lookup-1a2b3c4d',
  header: 'canary-header-77aa88bb',
  side: 'canary-side-model-3c4d5e6f',
};
const spellings = Object.values(canaries).flatMap((value) => [
  value,
  Buffer.from(value).toString('base64').replace(/=+$/, '').slice(0, -2),
  Buffer.from(value).toString('hex'),
]);

function bash(command: string): ScriptedTurn {
  return { calls: [{ name: 'terminal', arguments: { command } }] };
}

const script: readonly ScriptedTurn[] = [
  bash('printenv TOKEN; echo "$TOKEN" | base64; echo "token=${TOKEN}" | tr a-z A-Z | tr A-Z a-z'),
  bash('env | sort'),
  bash('echo $LOOKED_UP; echo $MODEL_KEY; cat /proc/self/environ | tr "\\0" "\\n" # token, looked_up'),
  bash('seq 1 20000; echo $TOKEN; seq 1 20000; echo $TOKEN >&2; false'),
  { error: { message: `Incorrect API key provided: ${canaries.MODEL_KEY}`, code: 'unauthenticated' } },
];

/** A server of one secret; records the headers. */
async function secretServer(): Promise<{ readonly url: string; readonly headers: string[] }> {
  const headers: string[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers.authorization ?? '');
    response.end(canaries.LOOKED_UP);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret`, headers };
}

/** Returns the files below a directory that contain a spelling of a secret. */
async function filesWithSecrets(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(
    files.map(async (file) => {
      const text = (await readFile(file)).toString('latin1');
      return spellings.some((spelling) => text.includes(spelling)) ? [file] : [];
    }),
  );
  expect(files.length).toBeGreaterThan(5);
  return contents.flat();
}

test.for(['sqlite:', 'dir:'])(
  'no secret reaches a file or an output in a whole scenario, with a log in %s',
  async (scheme) => {
    const home = await newHome();
    const lookup = await secretServer();
    await using server = await scriptedServer(script);
    await using titles = await scriptedServer([{ text: `Title for ${canaries.side}` }]);
    const workspace = join(home, 'work');
    await mkdir(workspace);
    await mkdir(join(home, '.varve'));
    const settings = { llm: { model: 'scripted', base_url: server.url, api_key_ref: 'secret:MODEL_KEY' } };
    await writeFile(join(home, '.varve', 'config.json'), JSON.stringify(settings));
    const env = {
      SIDE_KEY: canaries.side,
      LLM_LOG_COMPLETIONS: '1',
      OPENHANDS_DUMP_REQUEST: '1',
      OPENHANDS_CAPTURE_RAW_RESPONSE: '1',
    };
    const outputs: Invocation[] = [];
    const varve = async (args: readonly string[], stdin = ''): Promise<Invocation> => {
      const result = await runVarve(args, { home, env, stdin });
      outputs.push(result);
      return result;
    };
    const store = ['--store', `${scheme}${join(home, 'log')}`];
    expect((await varve(['secret', 'set', 'TOKEN', '-d', 'A token'], `${canaries.TOKEN}\n`)).code).toBe(0);
    expect((await varve(['secret', 'set', 'MODEL_KEY'], canaries.MODEL_KEY)).code).toBe(0);
    const header = `Authorization: Bearer ${canaries.header}\n`;
    expect((await varve(['secret', 'set', 'LOOKED_UP', '--url', lookup.url], header)).code).toBe(0);
    await varve(['profile', 'save', 'titles', 'model=t', `base_url=${titles.url}`, 'api_key_ref=env:SIDE_KEY']);
    await varve(['profile', 'use', 'titles', 'title']);
    expect((await varve(['secret', 'list'])).stdout.trim().split('\n')).toHaveLength(3);

    const task = `Use the token ${canaries.TOKEN}.`;
    const run = await varve(['run', ...store, '-w', workspace, '--confirm', 'never', '--json', task]);
    expect(run.code).toBe(3);
    expect(server.requests.length).toBeGreaterThanOrEqual(script.length);
    expect(lookup.headers).toEqual([`Bearer ${canaries.header}`]);
    const results = run.stdout.split('\n').filter((line) => line.includes('"ObservationEvent"'));
    // Only the commands that name a secret got it, and the key of the model is no variable at all.
    expect(results[0]).toContain('<secret-hidden>');
    expect(results[1]).not.toMatch(/TOKEN|MODEL_KEY|LOOKED_UP|secret-hidden/);
    expect(results[2]).toMatch(/TOKEN=<secret-hidden>/);
    expect(results[2]).not.toContain('MODEL_KEY=');

    const { stdout } = await varve(['ls', ...store]);
    expect([titles.requests[0]?.headers['authorization'], stdout]).toEqual([
      `Bearer ${canaries.side}`,
      expect.stringContaining('Title for <secret-hidden>'),
    ]);
    const id = /[0-9a-f]{32}/.exec(stdout)?.[0] ?? '';
    for (const args of [
      ['show', id],
      ['show', id, '--json'],
      ['export', id],
      ['verify', id],
      ['run', '--resume', id],
    ])
      await varve([...args, ...store]);
    await varve(['secret', 'rm', 'GONE']);
    await varve(['run', '--bad', canaries.TOKEN.slice(0, 3)]);

    const printed = outputs.map((output) => output.stdout + output.stderr).join('\n');
    expect(spellings.filter((spelling) => printed.includes(spelling))).toEqual([]);
    const dumps = (await readdir(join(home, '.varve', 'completions'))).join(' ');
    for (const kind of ['request', 'response', 'snapshot', 'call', 'error']) expect(dumps).toContain(kind);
    expect(await filesWithSecrets(home)).toEqual([]);
  },
);

test('a value is never taken from an argument, and an empty one stores nothing', async () => {
  const home = await newHome();
  expect((await runVarve(['secret', 'set', 'A', 'value'], { home })).code).toBe(2);
  expect((await runVarve(['secret', 'set', 'A'], { home, stdin: '\n' })).stderr).toContain('is empty');
  expect((await runVarve(['secret', 'set', '1A'], { home, stdin: 'x' })).code).toBe(2);
  expect((await runVarve(['secret', 'list'], { home })).stdout).toBe('');
  const [short, long] = ['xyz', 'wxyz'].map(async (stdin) => runVarve(['secret', 'set', 'C'], { home, stdin }));
  expect([(await short)?.stderr, (await long)?.stderr]).toEqual([
    expect.stringContaining('are not masked'),
    'Stored C.\n',
  ]);
  expect(
    (await runVarve(['secret', 'set', 'B', '--url', 'https://x.example/'], { home, stdin: 'not a header' })).code,
  ).toBe(2);
});
