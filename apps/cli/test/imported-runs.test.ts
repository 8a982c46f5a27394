import { glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scriptedServer, type ScriptedTurn } from '@varve/llm/testing';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const thoughts = Array.from({ length: 6 }, (_, index): ScriptedTurn => {
  return { calls: [{ name: 'think', arguments: { thought: `Thought ${index}.` } }] };
});

/** Imports a file into the store of another home; returns a function that resumes what it contains there. */
async function imported(path: string, home: string) {
  const { code, stdout, stderr } = await runVarve(['import', path], { home });
  expect([code, stderr]).toEqual([0, expect.stringContaining('Imported')]);
  const [id = ''] = stdout.split('\n');
  return (url: string, ...options: readonly string[]) =>
    runVarve(['run', '--resume', id, '--base-url', url, '--model', 'scripted', ...options, 'Go on.'], { home });
}

/** Runs a conversation with no limit in a home of another person, and returns the file that it exports. */
async function theirBundle(): Promise<string> {
  const home = await newHome();
  await using server = await scriptedServer([done]);
  await runVarve(['run', 'Go.', '--base-url', server.url, '--model', 'scripted'], { home });
  const [id = ''] = (await runVarve(['ls', '--json'], { home })).stdout.match(/[0-9a-f]{32}/) ?? [];
  const path = join(home, 'theirs.jsonl');
  expect((await runVarve(['export', id, path], { home })).code).toBe(0);
  return path;
}

const settings = { budget: { calls: 3 } };

async function homeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const home = await newHome();
  await mkdir(join(home, '.varve'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(home, name), text);
  return home;
}

test('a conversation that was imported reaches the limits of the settings, and has its own from then on', async () => {
  const home = await homeWith({ '.varve/config.json': JSON.stringify(settings) });
  const resume = await imported(await theirBundle(), home);
  await using server = await scriptedServer([...thoughts, done]);
  const first = await resume(server.url);
  // The reply of the bundle counts.
  expect([first.code, server.requests.length]).toEqual([6, 2]);
  await writeFile(join(home, '.varve/config.json'), '{}');
  expect((await resume(server.url)).code).toBe(6);
  expect((await resume(server.url, '--set', 'budget.calls=4')).code).toBe(6);
  expect(server.requests.length).toBe(3);
});

test('the log of another system without a prompt is continued with the instructions of a new conversation', async () => {
  const home = await homeWith({ 'AGENTS.md': 'Answer in French.', 'theirs.json': JSON.stringify([]) });
  const say = { id: 0, source: 'user', action: 'message', args: { content: 'Go.' } };
  await writeFile(join(home, 'theirs.json'), JSON.stringify([say]));
  const resume = await imported(join(home, 'theirs.json'), home);
  await using server = await scriptedServer([done]);
  expect((await resume(server.url)).code).toBe(0);
  expect(JSON.stringify(server.requests[0])).toContain('Answer in French.');
});

/** Repairs a conversation of a directory that lost its second event; returns its id and home. */
async function repaired() {
  const home = await newHome();
  await using server = await scriptedServer([done]);
  const store = ['--store', `dir:${join(home, 'logs')}`];
  await runVarve(['run', 'Go.', '--base-url', server.url, '--model', 'scripted', ...store], { home });
  const [id = ''] = (await runVarve(['ls', '--json', ...store], { home })).stdout.match(/[0-9a-f]{32}/) ?? [];
  for await (const file of glob(join(home, 'logs', id, 'events', 'event-00001-*'))) await rm(file);
  expect((await runVarve(['repair', id, ...store], { home })).code).toBe(0);
  return { home, id, store };
}

async function importedLog() {
  const home = await newHome();
  const { stdout } = await runVarve(['import', await theirBundle()], { home });
  return { home, id: stdout.split('\n')[0] ?? '', store: [] };
}

test.for([
  ['imported', importedLog],
  ['repaired', repaired],
] as const)('without a model, the error of a conversation that was %s names what to do', async ([, made]) => {
  const { home, id, store } = await made();
  for (const command of [
    ['run', '--resume', id, 'Go on.'],
    ['condense', id],
  ]) {
    const { code, stderr } = await runVarve([...command, ...store], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('No API key for openai');
    expect(stderr).toContain(
      'because the conversation was imported or repaired. Name them with --model and --base-url',
    );
  }
});
