import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { textOf } from '@varve/events';
import { HookExecutionEvent, MessageEvent, UserRejectObservation } from '@varve/events/kinds';
import { checkMessages } from '@varve/events/projections';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, type Tool } from '@varve/tools';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import type { CommandHook, HookConfig } from '../src/confirmation/hooks/hook-config.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const twoRecords: ScriptedTurn = { calls: ['a', 'b'].map((text) => ({ name: 'record', arguments: { text } })) };
const id = '7'.repeat(32);

const on = (command: string, options: Partial<CommandHook> = {}, matcher = '*') => [
  { matcher, hooks: [{ type: 'command', command, ...options } as const] },
];
/** Blocks the call of `record` with the text `a`. */
const blocksA: HookConfig = { PreToolUse: on(`grep -q '"text":"a"' && { echo 'Not a.' >&2; exit 2; }`, {}, 'record') };

interface Setup extends Partial<Omit<AgentOptions, 'tools' | 'model'>> {
  readonly hooks: HookConfig;
  readonly steps?: readonly ScriptedTurn[];
  readonly secrets?: readonly string[];
}

/** Returns a workspace and a function that makes agents with equal tools, which count their calls together. */
async function world({ steps = [twoRecords, done, done], secrets = [], ...options }: Setup) {
  const workspace = await realpath(await mkdtemp(join(tmpdir(), 'varve-hooks-')));
  onTestFinished(() => rm(workspace, { recursive: true, force: true }));
  const { tool, runs } = countingTool();
  const model = scriptedModel(steps);
  const agent = defineAgent({ tools: (): readonly Tool[] => [tool(), finish()], ...options, model });
  const create = async (store: EventStore = memoryStore()) =>
    Conversation.create({ agent, store, workspace, id, secrets });
  const traces = async (): Promise<string> => readFile(join(workspace, 'trace'), 'utf8').catch(() => '');
  return { workspace, agent, runs, model, create, traces };
}

async function eventsOf(conversation: Conversation) {
  const all = [];
  for await (const { event } of conversation.events()) all.push(event);
  return all;
}

async function hookEvents(conversation: Conversation): Promise<readonly HookExecutionEvent[]> {
  return (await eventsOf(conversation)).filter((event) => HookExecutionEvent.is(event));
}

test('a blocked call is answered with the reason, others run, and both decisions are stored', async () => {
  const { create, runs } = await world({ hooks: blocksA });
  await using conversation = await create();
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.keys()]).toEqual(['b']);
  const all = await eventsOf(conversation);
  expect(all.filter((event) => UserRejectObservation.is(event))).toMatchObject([
    { rejection_source: 'hook', rejection_reason: 'Not a.' },
  ]);
  expect(await hookEvents(conversation)).toMatchObject([
    { blocked: true, exit_code: 2, tool_name: 'record', hook_input: { tool_input: { data: { text: 'a' } } } },
    { blocked: false, exit_code: 1, success: false },
  ]);
  expect(checkMessages(conversation.request().messages)).toEqual([]);
});

test.for([
  ['echo \'{"decision": "Deny", "reason": "JSON."}\'', 'JSON.'],
  ['echo \'{"continue": false}\'; echo Because. >&2', 'Because.'],
  ['exit 2', 'A hook gave no reason.'],
  [
    `printf '{"reason": "'; head -c 1000001 /dev/zero | tr '\\0' x; echo '"}'`,
    'The JSON of the hook is longer than 1000000 characters.',
  ],
  [`echo '{"decision": "deny", "reason": null, "additionalContext": 5}'`, 'A hook gave no reason.'],
] as const)('the decision %j blocks', async ([command, reason]) => {
  const { create, runs } = await world({ hooks: { PreToolUse: on(command, {}, 'record') } });
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  expect(runs.size).toBe(0);
  expect((await hookEvents(conversation))[0]).toMatchObject({ blocked: true, reason });
});

test.for([
  ['exit 1', {}, 1],
  ['no-such-program', {}, 127],
  ['sleep 60', { timeout: 0.05 }, -1],
  ['echo \'{"decision": 5}\'', {}, 0],
  ['exit 2', { async: true }, 0],
] as const)('%j with %j does not block', async ([command, options, exitCode]) => {
  const { create, runs } = await world({ hooks: { PreToolUse: on(command, options, 'record') } });
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  expect(runs.size).toBe(2);
  expect((await hookEvents(conversation))[0]).toMatchObject({ blocked: false, exit_code: exitCode });
});

test('the next hooks do not run after one that blocks', async () => {
  const hooks = { PreToolUse: [...on('exit 2', {}, 'record'), ...on('echo x >> trace', {}, 'record')] };
  const { create, traces } = await world({ hooks });
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  expect(await traces()).toBe('');
});

test('hooks decide before a person is asked, once per process', async () => {
  const hooks = { PreToolUse: on(`cat >> trace; echo >> trace`, {}, 'record') };
  const { create, traces, runs } = await world({ hooks, confirmation: alwaysConfirm() });
  await using conversation = await create();
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect((await traces()).trim().split('\n')).toHaveLength(2);
  await conversation.approve();
  await conversation.run();
  expect(runs.size).toBe(2);
  expect((await traces()).trim().split('\n')).toHaveLength(2);
});

test('a blocked message never reaches the model, and changes nothing else', async () => {
  const hooks = { UserPromptSubmit: on(`grep -q Friday && { echo 'Not today.' >&2; exit 2; } || exit 0`) };
  const { create } = await world({ hooks });
  await using conversation = await create();
  await expect(conversation.send('Deploy on Friday.')).rejects.toMatchObject({
    code: 'blocked',
    message: 'A hook blocked the message: Not today.',
  });
  expect(conversation.state).toMatchObject({ status: 'idle' });
  expect(conversation.state.lastUserMessageId).toBeUndefined();
  await conversation.send('Deploy on Monday.');
  expect(JSON.stringify(conversation.request())).not.toContain('Friday');
  expect((await hookEvents(conversation))[0]).toMatchObject({
    blocked: true,
    message_id: expect.any(String),
    hook_input: { message: 'Deploy on Friday.' },
  });
});

/** Returns a command that adds a text for the model. */
const context = (text: string): string => `echo '{"additionalContext": "${text}"}'`;

test('context of hooks follows the message, and that of calls follows their results', async () => {
  const hooks = {
    SessionStart: on(context('Branch main.')),
    UserPromptSubmit: on(context('It is Monday.')),
    PostToolUse: on(context('Lint: 1 error.'), {}, 'record'),
  };
  const { create } = await world({ hooks });
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  const { messages } = conversation.request();
  expect(textOf(messages.find(({ role }) => role === 'user')?.content ?? [])).toMatch(/Branch main[^]*Monday/);
  expect(messages.map(({ role }) => role).slice(2, 6)).toEqual(['assistant', 'tool', 'tool', 'user']);
  expect(textOf(messages[5]?.content ?? [])).toContain('Lint: 1 error.');
  expect(checkMessages(messages)).toEqual([]);
});

test('hooks of start and end run once per process that runs the conversation', async () => {
  const hooks = { SessionStart: on('echo start >> trace'), SessionEnd: on('echo end >> trace') };
  const { create, agent, traces } = await world({ hooks });
  const store = memoryStore();
  const conversation = await create(store);
  await conversation.send('Go.');
  await conversation.run();
  await conversation[Symbol.asyncDispose]();
  const opened = await Conversation.open({ agent, store, id });
  await opened[Symbol.asyncDispose]();
  expect(await traces()).toBe('start\nend\n');
});

test('a Stop hook returns the work to the model, a limited number of times', async () => {
  const several = Array.from({ length: 6 }, (_, index) => ({ text: `Done ${index}.` }));
  const { create, model } = await world({ hooks: { Stop: on(`echo 'Tests fail.' >&2; exit 2`) }, steps: several });
  await using conversation = await create();
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 6 });
  expect(JSON.stringify(model.requests[1])).toContain('Tests fail.');
  expect(await hookEvents(conversation)).toHaveLength(5);
  expect(await conversation.run()).toMatchObject({ reason: 'finished', iterations: 0 });
  expect(await hookEvents(conversation)).toHaveLength(5);
});

test('secrets are not in the input of hooks, and not in what the log contains of them', async () => {
  const hooks = { UserPromptSubmit: on(`cat > trace; echo the key is swordfish; echo swordfish >&2`) };
  const { create, traces } = await world({ hooks, secrets: ['swordfish'] });
  await using conversation = await create();
  await conversation.send('The key is swordfish.');
  expect(await traces()).toContain('<secret-hidden>');
  expect(JSON.stringify(await eventsOf(conversation)) + (await traces())).not.toContain('swordfish');
});

test('a hook that floods its output is cut, and one that ignores its input is not an error', async () => {
  const { create } = await world({ hooks: { UserPromptSubmit: on(`head -c 3000000 /dev/zero | tr '\\0' x`) } });
  await using conversation = await create();
  await conversation.send(`Go ${'x'.repeat(200_000)}.`);
  const [event] = await hookEvents(conversation);
  expect(event).toMatchObject({ success: true });
  expect(event?.stdout).toHaveLength(50_000);
  expect(event?.hook_input).toBeUndefined();
});

test('interrupting a run ends a hanging hook, and the call never runs', async () => {
  const hooks = { PreToolUse: on('echo x >> trace; exec sleep 60', {}, 'record') };
  const { create, runs, traces } = await world({ hooks });
  await using conversation = await create();
  await conversation.send('Go.');
  const run = conversation.run();
  await expect.poll(traces, { timeout: 20_000 }).toBe('x\n');
  await conversation.interrupt();
  expect(await run).toMatchObject({ reason: 'interrupted' });
  expect([runs.size, conversation.state.pending]).toEqual([0, []]);
});

test('a hook whose script changed since it was trusted does not run, and blocks', async () => {
  const { create, workspace, runs, traces } = await world({
    hooks: { PreToolUse: on('sh check.sh', { files: { 'check.sh': '0'.repeat(64) } }, 'record') },
  });
  await writeFile(join(workspace, 'check.sh'), 'echo x >> trace');
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  expect([runs.size, await traces()]).toEqual([0, '']);
});

test('a conversation with hooks is not opened by an agent without any, unless it has none explicitly', async () => {
  const { create, agent } = await world({ hooks: blocksA });
  const store = memoryStore();
  await (await create(store))[Symbol.asyncDispose]();
  const { model, tools } = agent;
  await expect(Conversation.open({ agent: defineAgent({ model, tools }), store, id })).rejects.toMatchObject({
    code: 'hooks-missing',
  });
  await using opened = await Conversation.open({ agent: defineAgent({ model, tools, hooks: {} }), store, id });
  await using fork = await opened.fork();
  expect(fork.state.status).toBe('idle');
});

/** Creates and runs a conversation, and reports whether it crashed. */
async function crashes(create: () => Promise<Conversation>): Promise<boolean> {
  let conversation: Conversation | undefined;
  try {
    conversation = await create();
    await conversation.send('Go.');
    await conversation.run();
    return false;
  } catch (error) {
    if (error instanceof Crash) return true;
    throw error;
  } finally {
    // Releases the lease, as the death of a process does.
    await conversation?.[Symbol.asyncDispose]().catch(() => undefined);
  }
}

test('after a crash at any append, what a hook blocks never runs, and the Stop hook decides about the end', async () => {
  const stop = { Stop: on('echo x >> trace') };
  let at = 0;
  let hasCrashed = true;
  while (hasCrashed) {
    at += 1;
    for (const stored of [false, true]) {
      const { agent, create, runs, traces, workspace } = await world({ hooks: { ...blocksA, ...stop } });
      const disk = memoryStore();
      hasCrashed = await crashes(() => create(crashingStore(disk, { at, stored })));
      const options = { agent, store: disk, workspace, id };
      const conversation = await Conversation.open(options).catch(() => Conversation.create(options));
      if (conversation.state.lastUserMessageId === undefined) await conversation.send('Go.');
      expect(await conversation.run()).toMatchObject({ reason: 'finished' });
      expect(runs.has('a')).toBe(false);
      expect(runs.get('b') ?? 0).toBeLessThanOrEqual(1);
      expect(await traces()).toMatch(/^x/);
      expect(conversation.state.pending).toEqual([]);
      expect((await eventsOf(conversation)).filter((event) => MessageEvent.is(event))).toHaveLength(1);
    }
  }
});

/** Blocks calls of `record` as the model decides, which also works for the agent. Limits need not be whole numbers. */
const careful = { type: 'prompt', name: 'careful', prompt: 'Never record a.', timeout: 60.0005 } as const;
const asks: HookConfig = { PreToolUse: [{ matcher: 'record', hooks: [careful] }] };
const cost = { costUsd: 0.5, usage: { input_tokens: 20, output_tokens: 5 } };

test('a prompt hook decides by the reply of the model, which reads the policy and the call as data', async () => {
  const denial = { text: 'So: {"decision": "deny", "reason": "Not a."}', ...cost };
  const { create, runs, model } = await world({
    hooks: asks,
    steps: [twoRecords, denial, { text: '{"decision": "allow"}' }, done],
  });
  await using conversation = await create();
  await conversation.send('Go.');
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs.keys()]).toEqual(['b']);
  const asked = model.requests.find(({ messages }) => textOf(messages[0]?.content ?? []).includes('Never record a.'));
  expect(asked?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
  expect(JSON.parse(textOf(asked?.messages[1]?.content ?? []))).toMatchObject({ tool_input: { data: { text: 'a' } } });
  expect(await hookEvents(conversation)).toMatchObject([
    { blocked: true, reason: 'Not a.', hook_command: 'Never record a.' },
    { blocked: false, success: true },
  ]);
  expect(conversation.state.stats.byUsageId['prompt-hook:careful']).toMatchObject({ calls: 2, cost_usd: 0.5 });
});

test.for([
  ['a reply without a decision', { text: 'Maybe.' }],
  ['a failure of the model', { fault: { kind: 'refuse' } }],
] as const)('%s blocks nothing, and is recorded as a failure', async ([, reply]) => {
  const failing = reply as ScriptedTurn;
  const { create, runs } = await world({ hooks: asks, steps: [twoRecords, failing, failing, done] });
  await using conversation = await create();
  await conversation.send('Go.');
  await conversation.run();
  expect([...runs.keys()]).toEqual(['a', 'b']);
  expect(await hookEvents(conversation)).toMatchObject([
    { success: false, blocked: false, exit_code: -1 },
    { success: false, blocked: false, exit_code: -1 },
  ]);
});

test('a prompt hook whose time is over blocks nothing', async () => {
  const { agent, workspace, runs } = await world({
    hooks: asks,
    steps: [twoRecords, { text: '{"decision": "deny"}' }, done],
  });
  const deadlines = [AbortSignal.abort(new DOMException('Over.', 'TimeoutError'))];
  const timeout = (): AbortSignal => deadlines.pop() ?? new AbortController().signal;
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace, id, timeout });
  await conversation.send('Go.');
  await conversation.run();
  expect([...runs.keys()]).toEqual(['a']);
  expect((await hookEvents(conversation))[0]).toMatchObject({ error: 'The model did not decide in time.' });
});
