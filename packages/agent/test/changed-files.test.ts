import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { BaseEvent } from '@varve/events';
import { filesFact } from '@varve/events/facts';
import { ObservationEvent } from '@varve/events/kinds';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { applyPatch, defineTool, fileEditor, finish, terminal } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'varve-changed-')));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
function workspaceWith(files: Readonly<Record<string, string>>): string {
  const workspace = join(root, String((count += 1)));
  mkdirSync(workspace);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(workspace, name), content);
  return workspace;
}

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const shell = (command: string) => ({ name: 'terminal', arguments: { command } });
const turn = (...calls: NonNullable<ScriptedTurn['calls']>): ScriptedTurn => ({ calls });
const work = (path: string) => ({ name: 'work', arguments: { path } });
const create = (path: string) => edit('create', path, { file_text: 'c' });
const edit = (command: string, path: string, fields: object) => ({
  name: 'file_editor',
  arguments: { command, path, ...fields },
});

interface Setup {
  readonly turns: readonly ScriptedTurn[];
  readonly workspace: string;
  /** Runs between two calls of the tool `wait`. */
  readonly outside?: () => void;
  readonly concurrency?: number;
}

/** Runs a conversation, and returns its events. */
async function eventsOf({ turns, workspace, outside, concurrency = 1 }: Setup): Promise<readonly BaseEvent[]> {
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    input: z.object({}),
    effect: 'read',
    execute: async () => {
      outside?.();
      return 'Waited.';
    },
  });
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let started = 0;
  /** Writes a file, and ends when another call has written one. */
  const writer = defineTool({
    name: 'work',
    description: 'Works.',
    input: z.object({ path: z.string().describe('What.') }),
    effect: 'write',
    resources: () => [],
    execute: async ({ path }) => {
      writeFileSync(path, '');
      both[started]?.resolve();
      started += 1;
      await Promise.all(both.map(async ({ promise }) => promise));
      return 'Worked.';
    },
  });
  const agent = defineAgent({
    model: scriptedModel([...turns, done]),
    tools: () => [terminal({ pty: false }), fileEditor(), applyPatch(), wait, writer, finish()],
    recordsFiles: true,
    concurrency,
  });
  const secrets = ['hunter2-hunter2'];
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace, secrets });
  await conversation.send('Go.');
  await conversation.run();
  const logged = await Array.fromAsync(conversation.events());
  return logged.map(({ event }) => event);
}

/** Returns the changes of each fact, with the number of the result that follows it, or `-` from outside. */
function changesIn(events: readonly BaseEvent[]) {
  const results = events.filter((event) => ObservationEvent.is(event)).map(({ action_id: id }) => id);
  return events.flatMap((event) => {
    const fact = filesFact.read(event);
    if (!fact) return [];
    const ids = fact.action_ids ?? (fact.action_id === undefined ? [] : [fact.action_id]);
    const cause = fact.outside ? '-' : ids.map((id) => results.indexOf(id)).join('+');
    return fact.changes.map(({ path, before, after, content, omitted }) => {
      const kind = before === null ? 'created' : after === null ? 'removed' : before === after ? 'found' : 'changed';
      return `${cause} ${kind} ${path} ${omitted ?? content ?? ''}`.trim();
    });
  });
}

test('the changes of editors, patches and commands are stored with their results, and those of others as outside', async () => {
  const workspace = workspaceWith({ 'a.txt': 'one\n', 'b.txt': 'two\n', 'c.txt': 'three\n' });
  const patch = '*** Begin Patch\n*** Update File: b.txt\n@@\n-two\n+2\n*** Delete File: a.txt\n*** End Patch';
  const events = await eventsOf({
    workspace,
    outside: () => writeFileSync(join(workspace, 'c.txt'), 'person\n'),
    turns: [
      turn(edit('str_replace', join(workspace, 'a.txt'), { old_str: 'one', new_str: '1' })),
      turn({ name: 'apply_patch', arguments: { patch } }),
      turn(shell('echo new > d.txt; mv b.txt e.txt; cat c.txt')),
      turn({ name: 'wait', arguments: {} }),
      turn(shell('echo "$(cat c.txt)" again > c.txt')),
    ],
  });
  expect(changesIn(events)).toEqual([
    '- found a.txt one',
    '0 changed a.txt 1',
    '- found b.txt two',
    '1 changed b.txt 2',
    '1 removed a.txt',
    '2 removed b.txt',
    '2 created d.txt new',
    // The content of b.txt.
    '2 created e.txt',
    '- found c.txt three',
    '- changed c.txt person',
    '4 changed c.txt person again',
  ]);
  const pairs = events.flatMap((event, index) => {
    const id = filesFact.read(event)?.action_id;
    return id === undefined ? [] : [[id, events[index + 1]]];
  });
  for (const [id, next] of pairs) expect(next).toMatchObject({ action_id: id, kind: 'ObservationEvent' });
});

test('contents with secrets, binary and large ones are named', async () => {
  const workspace = workspaceWith({ '.env': 'A=1' });
  const command = [
    'echo A=2 > .env',
    'printf %s-%s hunter2 hunter2 > log.txt',
    String.raw`printf '\377\001' > b.bin`,
    'head -c 2000000 /dev/zero > big',
    'mkfifo pipe',
  ].join('; ');
  const events = await eventsOf({ workspace, turns: [turn(shell(command))] });
  expect(changesIn(events).toSorted()).toEqual([
    '- found .env secret',
    '0 created b.bin /wE=',
    '0 created big large',
    '0 created log.txt secret',
    '0 created pipe special',
    '0 found .env secret',
  ]);
  expect(JSON.stringify(events.filter((event) => filesFact.read(event)))).not.toContain('A=');
});

test('changes of concurrent calls name those that may have made them, those of an editor its own call', async () => {
  const workspace = workspaceWith({});
  const events = await eventsOf({
    workspace,
    concurrency: 3,
    turns: [turn(work(join(workspace, 'a')), work(join(workspace, 'b')), create(join(workspace, 'c.txt')))],
  });
  // The second call may begin before or after the first one writes.
  const changes = changesIn(events).map((line) => line.replace(/^(?:0|1|0\+1|1\+0) /, '0 or 1 '));
  expect(changes.toSorted()).toEqual(['0 or 1 created a', '0 or 1 created b', '2 created c.txt c']);
});

test('a return reads an event with many contents once', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `f${index}`);
  const workspace = workspaceWith(Object.fromEntries(names.map((name) => [name, name])));
  const store = memoryStore();
  const begin = store.create.bind(store);
  let reads = 0;
  Object.assign(store, {
    create: async (...args: Parameters<typeof begin>) => {
      const log = await begin(...args);
      const at = log.at.bind(log);
      return Object.assign(log, {
        at: async (seq: number) => {
          reads += 1;
          return at(seq);
        },
      });
    },
  });
  const model = scriptedModel([turn(shell('rm f*')), done]);
  const agent = defineAgent({ model, tools: () => [terminal({ pty: false }), finish()], recordsFiles: true });
  await using conversation = await Conversation.create({ store, agent, workspace });
  await conversation.send('Go.');
  await conversation.run();
  reads = 0;
  const { changed } = await conversation.navigate(undefined, { scope: 'files' });
  expect(changed).toHaveLength(50);
  expect(reads).toBeLessThan(5);
});
