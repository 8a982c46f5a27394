import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { Conversation, defineAgent, readEvents } from '@varve/agent';
import { eventCodec } from '@varve/events';
import { callFact, filesFact } from '@varve/events/facts';
import { builtinKinds } from '@varve/events/kinds';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import type { ModelRequest } from '@varve/llm';
import { sqliteStore } from '@varve/storage/sqlite';
import { defaultTools } from '@varve/tools';
import { newHome, runVarve } from './run-varve.ts';

const home = await newHome();
const stored = {
  first: '',
  second: '',
  requests: [] as readonly ModelRequest[],
  replies: [] as number[],
  files: [] as number[],
};

const varve = async (...args: readonly string[]) =>
  runVarve([...args, '--store', `sqlite:${join(home, 'log.db')}`], { home });

/** Runs a script in a new conversation that records a file before its last message. */
async function conversationOf(steps: readonly ScriptedStep[], path: string) {
  const model = scriptedModel(steps);
  const agent = defineAgent({ model, tools: () => defaultTools().slice(2), parameters: { temperature: 0.5 } });
  await using store = await sqliteStore({ path: join(home, 'log.db') });
  const options = { agent, store, workspace: home };
  const { id, leafId } = await answered(await Conversation.create(options), 'Plan the work.');
  const change = { path, mode: '100644', before: null, after: 'a'.repeat(64), content: 'x' };
  const stamp = {
    id: 'f11e5000',
    timestamp: '2026-01-01T00:00:00.000000',
    source: 'environment',
    ...(leafId && { parent_id: leafId }),
  } as const;
  const fact = filesFact.create({ outside: true, changes: [change] }, stamp);
  {
    await using log = await store.open(id);
    await log.append([{ id: fact.id, kind: fact.kind, parentId: leafId, text: eventCodec(builtinKinds).encode(fact) }]);
  }
  await answered(await Conversation.open({ ...options, id }), 'Now the Answer\u001B[2J, please.');
  return { id, requests: model.requests, events: await Array.fromAsync(readEvents((await store.read(id)).range(0))) };
}

async function answered(opened: Conversation, message: string) {
  await using conversation = opened;
  await conversation.send(message);
  await conversation.run();
  return { id: conversation.id, leafId: conversation.state.leafId };
}

const task = (title: string): ScriptedStep => ({
  calls: [
    { name: 'task_tracker', arguments: { command: 'plan', task_list: [{ title, notes: '', status: 'in_progress' }] } },
  ],
});

beforeAll(async () => {
  const first = await conversationOf([task('Look around'), { text: 'Planned.' }, { text: 'It is 42.' }], 'src/a.ts');
  const second = await conversationOf([task('Look around'), { text: 'Planned.' }, { text: 'It is 43.' }], 'src/b.ts');
  const seqs = (isWanted: (event: (typeof first.events)[number]['event']) => boolean) =>
    first.events.flatMap(({ seq, event }) => (isWanted(event) ? [seq] : []));
  Object.assign(stored, {
    first: first.id,
    second: second.id,
    requests: first.requests,
    replies: seqs((event) => callFact.read(event) !== undefined),
    files: seqs((event) => filesFact.read(event) !== undefined),
  });
});

test('show --at has the status, the plan, the cost and the files after an event', async () => {
  const {
    first,
    files: [file = 0],
    replies: [reply = 0],
  } = stored;
  const late = await varve('show', first, '--at', String(file));
  expect(late.stdout).toMatch(/^after event \d+: finished\n {2}in_progress Look around\ncost: 2 model calls/);
  expect(late.stdout).toContain(`  A src/a.ts  (event ${file})`);
  const early = await varve('show', first, '--at', String(reply));
  expect(early.stdout).toMatch(/^after event \d+: running\ncost: 1 model call/);
  expect(early.stdout).not.toContain('a.ts');
  expect(await varve('show', first, '--at', '9999')).toMatchObject({ code: 5, stdout: '' });
});

test('show --messages --at is the request of the next reply as it was sent', async () => {
  for (const [index, seq] of stored.replies.entries()) {
    const { stdout, stderr } = await varve('show', stored.first, '--messages', '--at', String(seq));
    const { messages, tools, parameters } = JSON.parse(stdout) as ModelRequest;
    expect({ messages, tools, parameters }).toEqual(
      JSON.parse(JSON.stringify({ ...stored.requests[index], cacheKey: undefined })),
    );
    expect(stderr).toContain(`The reply is event ${seq}.`);
  }
  const next = await varve('show', stored.first, '--messages');
  const { messages, tools } = JSON.parse(next.stdout) as ModelRequest;
  expect([messages.length, tools.length, next.stderr]).toEqual([7, stored.requests[0]?.tools.length, '']);
});

test('show --diff has the events, requests and files that differ between two events, or two conversations', async () => {
  const {
    first,
    second,
    files: [file = 0],
    replies,
  } = stored;
  const between = await varve('show', first, '--diff', String(file - 1), String(replies.at(-1)));
  expect(between.stdout).toContain('+ › Now the Answer');
  expect(between.stdout).not.toContain('Plan the work');
  expect(between.stdout).toContain('requests: the first 5 of 5 and of 6 messages agree\n  A src/a.ts\n');
  const others = await varve('show', first, '--diff', second.slice(0, 12));
  expect(others.stdout).toContain(
    '- It is 42.\n+ It is 43.\nrequests: the first 6 of 7 and of 7 messages agree\n  D src/a.ts\n  A src/b.ts\n',
  );
});

test('find prints the events with a text, of a tool and of a file, in all conversations', async () => {
  const {
    first,
    second,
    files: [file = 0],
  } = stored;
  const answer = await varve('find', 'THE ANSWER');
  expect(answer.stdout.match(/^conversation /gm)).toHaveLength(2);
  expect(answer.stdout).toMatch(new RegExp(`^conversation ${first} .*\\n {2}event \\d+ {2}.*Now the Answer`, 'm'));
  expect(answer.stdout).not.toContain('\u001B');
  expect((await varve('find', '--tool', 'task_tracker', 'look around')).stdout.match(/ {2}event /g)).toHaveLength(4);
  const path = await varve('find', '--path', 'a.ts', '--json');
  expect(
    path.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ id: first, seq: file, text: 'src/a.ts' }]);
  const one = await varve('find', '-n', '1', 'it is');
  expect(one.stdout).toContain(second);
  expect(one.stderr).toContain('use -n for more');
  expect((await varve('find', '--error')).stderr).toContain('No event matches.');
  expect((await varve('find')).code).toBe(2);
});
