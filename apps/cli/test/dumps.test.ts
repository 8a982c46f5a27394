import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the dumps of a kind, in the order in which they were written. */
async function dumpsIn(folder: string, kind: string): Promise<readonly Fields[]> {
  const names = (await readdir(folder)).filter((name) => name.includes(kind)).toSorted();
  const dumps = await Promise.all(names.map(async (name) => readFile(join(folder, name), 'utf8')));
  return dumps.map((text) => JSON.parse(text) as Fields).toSorted((a, b) => lengthOf(a) - lengthOf(b));
}

function lengthOf(dump: Fields): number {
  return JSON.stringify(dump).length;
}

const rolesOf = (messages: unknown): readonly unknown[] => (messages as readonly Fields[]).map(({ role }) => role);

async function run(env: Readonly<Record<string, string>>) {
  const home = await newHome();
  await using server = await scriptedServer([
    { calls: [{ name: 'terminal', arguments: { command: 'echo seen' } }] },
    { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
  ]);
  const where = ['--base-url', server.url, '--model', 'm', '--confirm', 'never', '-w', home];
  const { code } = await runVarve(['run', 'Answer.', ...where], { home, env: { LLM_API_KEY: 'sk-of-dumps', ...env } });
  expect(code).toBe(0);
  return { home, folder: join(home, '.varve', 'completions') };
}

test('the command dumps what was sent, what was received, each context and each call, without keys', async () => {
  const { folder } = await run({
    LLM_LOG_COMPLETIONS: '1',
    OPENHANDS_DUMP_REQUEST: '1',
    OPENHANDS_CAPTURE_RAW_RESPONSE: '1',
  });
  const [requests, responses, snapshots, calls] = await Promise.all(
    ['request', 'response', 'snapshot', 'call'].map((kind) => dumpsIn(folder, kind)),
  );
  expect([requests, responses, snapshots, calls].map((dumps) => dumps?.length)).toEqual([2, 2, 2, 2]);
  expect(requests?.map(({ body }) => rolesOf((body as Fields)['messages']))).toEqual([
    ['system', 'user'],
    ['system', 'user', 'assistant', 'tool'],
  ]);
  for (const { messages, tools, parameters } of snapshots ?? []) {
    expect(rolesOf(messages)).toContain('user');
    expect((tools as readonly Fields[]).map(({ name }) => name)).toContain('terminal');
    expect(parameters).toBeTypeOf('object');
  }
  // The replies are streams, so that only short texts are in one piece.
  for (const { text } of responses ?? []) expect(text).toMatch(/tool_calls[^]*\[DONE\]/);
  expect(JSON.stringify(calls)).toContain('echo seen');
  expect(JSON.stringify([requests, responses, snapshots, calls])).not.toContain('sk-of-dumps');
});

test('the command dumps requests into the folder of the variable, and nothing without a variable', async () => {
  const elsewhere = join(await newHome(), 'sent');
  const { home } = await run({ OPENHANDS_DUMP_REQUEST: 'true', OPENHANDS_DUMP_REQUEST_DIR: elsewhere });
  expect(await dumpsIn(elsewhere, 'request')).toHaveLength(2);
  expect(await readdir(join(home, '.varve'))).not.toContain('completions');
  expect(await readdir(join((await run({})).home, '.varve'))).not.toContain('completions');
});
