import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { newHome, runVarve } from './run-varve.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const fixtures = join(root, 'packages/interop/test/fixtures');
const ofTheReference = join(root, 'tests/fixtures/openhands-conversations');
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Names under which the formats store the command of a call. */
const commandNames = new Set(['command', 'cmd', 'code', 'script']);

/** Replaces every command in a record, also in JSON within texts. */
function withCommand(value: unknown, command: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withCommand(each, command));
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return JSON.stringify(withCommand(JSON.parse(value), command));
    } catch {
      return value;
    }
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      commandNames.has(name) && typeof each === 'string' ? command : withCommand(each, command),
    ]),
  );
}

/** Returns the lengths of about twelve prefixes, with the shortest and the longest. */
function prefixesOf(length: number): readonly number[] {
  const step = Math.max(1, Math.floor(length / 12));
  return Array.from({ length: length + 1 }, (_, index) => index).filter((index) => index > 0 && index % step === 0);
}

interface Parts {
  readonly records: readonly unknown[];
  /** Returns the text of a file with some of the records. */
  readonly file: (records: readonly unknown[]) => string;
}

function partsOf(name: string, text: string): Parts {
  if (name.endsWith('.jsonl')) {
    const lines = text.trim().split('\n');
    return {
      records: lines.map((line): unknown => JSON.parse(line)),
      file: (records) => records.map((each) => `${JSON.stringify(each)}\n`).join(''),
    };
  }
  const whole: unknown = JSON.parse(text);
  if (Array.isArray(whole)) return { records: whole, file: (records) => JSON.stringify(records) };
  const fields = z.record(z.string(), z.unknown()).parse(whole);
  const [field = '', records] = Object.entries(fields).find(([, value]) => Array.isArray(value)) ?? [];
  return {
    records: z.array(z.unknown()).parse(records),
    file: (some) => JSON.stringify({ ...fields, [field]: some }),
  };
}

/** Imports a file and resumes it twice, once with a message and every call allowed; returns the exit codes. */
async function importAndResume(home: string, path: string, number: number): Promise<readonly number[]> {
  const store = ['--store', `sqlite:${join(home, `store-${number}.db`)}`];
  const imported = await runVarve(['import', path, ...store], { home });
  if (imported.code !== 0) return [imported.code];
  const [id = ''] = imported.stdout.split('\n');
  await using server = await scriptedServer([done, done]);
  const run = ['run', '--resume', id, ...store, '--base-url', server.url, '--model', 'scripted', '--confirm', 'never'];
  const first = await runVarve(run, { home });
  const second = await runVarve([...run, 'Go on.'], { home });
  return [imported.code, first.code, second.code];
}

test.for([
  'claude-code/session.jsonl',
  'claude-code/compacted.jsonl',
  'codex/rollout-2026-03-04T09-00-00-019c8a4c-ed82-79a1-aa28-7738fc5ab61a.jsonl',
  'mcpbench/history.jsonl',
  'mcpbench/log.json',
  'orxhestra/session.json',
  'v0/every-kind.json',
  'v0/legacy.json',
])('no call of any prefix of %s runs, although every call is allowed here', async (name) => {
  const home = await newHome();
  const { records, file } = partsOf(name, await readFile(join(fixtures, name), 'utf8'));
  const path = join(home, name.split('/').at(-1) ?? name);
  let resumed = 0;
  for (const length of prefixesOf(records.length)) {
    const commands = records.slice(0, length).map((each) => withCommand(each, `touch ${join(home, 'created')}`));
    await writeFile(path, file(commands));
    const codes = await importAndResume(home, path, length);
    if (codes.length > 1) resumed += 1;
    expect([length, codes, await readdir(home)]).toEqual([length, codes, expect.not.arrayContaining(['created'])]);
  }
  expect(resumed).toBeGreaterThan(0);
});

test('no call of any prefix of a conversation of the reference runs, and its policy does not apply', async () => {
  const home = await newHome();
  let number = 0;
  for (const id of await readdir(ofTheReference)) {
    const from = join(ofTheReference, id);
    const state = JSON.parse(await readFile(join(from, 'base_state.json'), 'utf8')) as object;
    const policy = { confirmation_policy: { kind: 'NeverConfirm' }, execution_status: 'running' };
    const events = (await readdir(join(from, 'events'))).filter((name) => name.endsWith('.json')).toSorted();
    for (const length of prefixesOf(events.length)) {
      number += 1;
      const directory = join(home, `${id}-${length}`);
      await mkdir(join(directory, 'events'), { recursive: true });
      await writeFile(join(directory, 'base_state.json'), JSON.stringify({ ...state, ...policy }));
      for (const name of events.slice(0, length)) {
        const event: unknown = JSON.parse(await readFile(join(from, 'events', name), 'utf8'));
        const text = JSON.stringify(withCommand(event, `touch ${join(home, 'created')}`));
        await writeFile(join(directory, 'events', name), text);
      }
      const codes = await importAndResume(home, directory, number);
      expect([id, length, codes.slice(0, 1), await readdir(home)]).toEqual([
        id,
        length,
        [0],
        expect.not.arrayContaining(['created']),
      ]);
    }
  }
  expect(number).toBeGreaterThan(20);
});
