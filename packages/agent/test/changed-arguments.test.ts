import { once } from 'node:events';
import { textOf } from '@varve/events';
import { approvalFact, changedCallFact } from '@varve/events/facts';
import { AgentErrorEvent, UserRejectObservation } from '@varve/events/kinds';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore, verify, type EventStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent, type AgentOptions } from '../src/agent/agent.ts';
import { alwaysConfirm } from '../src/confirmation/policies.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { changedCallMessage, interruptedMessage } from '../src/log/drafts.ts';
import { readState } from '../src/log/read-log.ts';
import { verifyRequests } from '../src/replay/verify-requests.ts';
import { countingTool } from '../src/testing/counting-tool.ts';
import { Crash, crashingStore } from '../src/testing/crashing-store.ts';

const record = { calls: [{ name: 'record', arguments: { text: 'a' } }] };
const done = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const id = '1'.repeat(32);

function agentOf(options: Partial<AgentOptions> = {}) {
  const { tool, runs } = countingTool();
  const model = scriptedModel([record, done, done]);
  const confirmation = alwaysConfirm();
  return { agent: defineAgent({ model, tools: () => [tool(), finish()], confirmation, ...options }), runs };
}

async function waiting(store: EventStore, options: Partial<AgentOptions> = {}) {
  const { agent, runs } = agentOf(options);
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  await conversation.send('Go.');
  await conversation.run();
  return { conversation, agent, runs };
}

const reasonsIn = async (conversation: Conversation): Promise<readonly string[]> => {
  const events = await Array.fromAsync(conversation.events());
  return events.flatMap(({ event }) => (UserRejectObservation.is(event) ? [event.rejection_reason] : []));
};

test('a call that is approved with other arguments runs with these, also after a restart, and the model reads both', async () => {
  await using store = memoryStore();
  const { conversation, agent, runs } = await waiting(store);
  await conversation.approve({ digest: conversation.digestOf(), arguments: { text: 'b' }, by: 'ada' });
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id });
  expect(await again.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['b', 1]]);
  const [reason] = await reasonsIn(again);
  expect(reason).toMatch(/^The user changed the arguments of this call, .*:\n\n\{"text":"b"\}\n\n/s);
  expect(
    again
      .request()
      .messages.map(({ content }) => textOf(content))
      .join(''),
  ).toContain(reason);
  const events = await Array.fromAsync(again.events(), ({ event }) => event);
  const ran = events.findIndex((event) => changedCallFact.read(event)?.observation.is_error === false);
  // A store that keeps a prefix of an append must not keep the rejection alone.
  expect(events[ran + 1]?.kind).toBe('UserRejectObservation');
  const log = await store.read(id);
  expect((await verify(log)).broken).toBeUndefined();
  const checks = await Array.fromAsync(verifyRequests(log));
  expect(checks.map(({ messages }) => messages)).toEqual(['same', 'same']);
});

test('other arguments are for one call that has not ended the run, and the tool has to accept them', async () => {
  await using store = memoryStore();
  const model = scriptedModel([{ calls: [...record.calls, ...done.calls] }]);
  const { conversation, runs } = await waiting(store, { model });
  const [first, last] = conversation.state.pending.map(({ event }) => event.id);
  const approve = (text: unknown, ids: (string | undefined)[], digest?: string) =>
    conversation.approve({
      arguments: { text },
      actionIds: ids.filter((each) => each !== undefined),
      ...(digest !== undefined && { digest }),
    });
  await expect(approve('b', [first, last])).rejects.toMatchObject({
    message: 'The arguments of record, finish cannot be changed.',
  });
  await expect(approve('b', [last])).rejects.toMatchObject({ code: 'invalid' });
  await expect(approve(1, [first])).rejects.toMatchObject({ code: 'invalid-input' });
  await expect(approve('b', [first], '0'.repeat(64))).rejects.toMatchObject({ code: 'calls-changed' });
  expect(await conversation.run()).toMatchObject({ reason: 'waiting' });
  expect(runs.size).toBe(0);
});

test('arguments that no event can contain are refused, and those that are stored are read again', async () => {
  await using store = memoryStore();
  const anything = defineTool({
    name: 'record',
    description: 'Takes anything.',
    input: z.object({ text: z.unknown() }),
    effect: 'write',
    execute: async () => 'Taken.',
  });
  const { conversation } = await waiting(store, { tools: () => [anything, finish()] });
  const { head } = conversation.state;
  const invalid = { name: 'ToolError', code: 'invalid-input' };
  await expect(conversation.approve({ arguments: { text: Number.POSITIVE_INFINITY } })).rejects.toMatchObject(invalid);
  let text: unknown = 'deep';
  for (let levels = 0; levels < 205; levels += 1) text = [text];
  while (conversation.state.head === head) {
    const failure = await conversation.approve({ arguments: { text } }).catch((error: unknown) => error);
    expect(failure).toBeOneOf([undefined, expect.objectContaining(invalid)]);
    [text] = text as unknown[];
  }
  expect(conversation.state.head).toBe(head + 1);
  const [call] = conversation.state.pending;
  const { pending } = await readState(await store.read(id));
  expect([call?.approvedAction, pending[0]?.approvedAction]).toEqual([expect.anything(), call?.approvedAction]);
});

test('an approval without arguments keeps those of an earlier one, and an earlier digest does not cover them', async () => {
  await using store = memoryStore();
  const { conversation, runs } = await waiting(store);
  const digest = conversation.digestOf();
  await conversation.approve({ arguments: { text: 'b' } });
  await expect(conversation.approve({ digest })).rejects.toMatchObject({ code: 'calls-changed' });
  await conversation.approve({ digest: conversation.digestOf() });
  await conversation.approve({ actionIds: conversation.state.pending.map(({ event }) => event.id) });
  await conversation.approve();
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  expect([...runs]).toEqual([['b', 1]]);
});

test('the last of several arguments runs, also those of the model', async () => {
  await using store = memoryStore();
  const { conversation, runs } = await waiting(store);
  for (const text of ['b', 'c', 'a']) await conversation.approve({ arguments: { text } });
  await conversation.run();
  expect([...runs]).toEqual([['a', 1]]);
});

test.for(['write', 'idempotent', 'read'] as const)(
  'the arguments of a call with the effect %s change until it starts, also while it is queued',
  async (effect) => {
    await using store = memoryStore();
    const { tool, runs } = countingTool({ effect });
    const refused: unknown[] = [];
    const { conversation } = await waiting(store, {
      model: scriptedModel([
        { calls: [...['a', 'b', 'e'].map((text) => ({ name: 'record', arguments: { text } })), ...done.calls] },
      ]),
      tools: () => [tool(), finish()],
      wrapTool: (wrapped) => ({
        ...wrapped,
        async execute(input, context) {
          const { actionId = '' } = context;
          const isFirst = actionId === first;
          if (isFirst) await conversation.approve({ actionIds: [second ?? ''], arguments: { text: 'c' } });
          if (isFirst) await conversation.approve({ actionIds: [second ?? ''] });
          const late = conversation.approve({ actionIds: [actionId], arguments: { text: 'd' } });
          refused.push(await late.catch((error: unknown) => error));
          return wrapped.execute(input, context);
        },
      }),
    });
    const [first, second] = conversation.state.pending.map(({ event }) => event.id);
    await conversation.approve();
    expect(await conversation.run()).toMatchObject({ reason: 'finished' });
    // Those after it wait, also the one that ends the run.
    expect([...runs]).toEqual(['a', 'c', 'e'].map((text) => [text, 1]));
    expect(conversation.state.pending).toEqual([]);
    expect(await reasonsIn(conversation)).toEqual([expect.stringMatching(/with these instead[^]*"c"[^]*Recorded c\./)]);
    const invalid = expect.objectContaining({ code: 'invalid' });
    expect(refused.slice(0, 2)).toEqual([invalid, invalid]);
  },
);

test('an action in place of the stored one runs only if its approval covers it', async () => {
  await using store = memoryStore();
  const { conversation, agent, runs } = await waiting(store);
  await conversation.approve({ arguments: { text: 'b' } });
  await conversation[Symbol.asyncDispose]();
  {
    await using log = await store.open(id);
    const last = await log.at((await log.head()) - 1);
    const { id: leaf } = JSON.parse(last.text) as { readonly id: string };
    const text = last.text.replace(leaf, 'f0f0f0f0').replace('"text":"b"', '"text":"c"');
    const forged = { ...(JSON.parse(text) as object), parent_id: leaf };
    const event = { id: 'f0f0f0f0', kind: last.kind, parentId: leaf, text: JSON.stringify(forged) };
    await log.append([event]);
  }
  await using again = await Conversation.open({ agent, store, id });
  expect(again.state.pending[0]?.approvedAction).toMatchObject({ data: { text: 'c' } });
  expect(await again.run()).toMatchObject({ reason: 'waiting' });
  expect(runs.size).toBe(0);
});

test('after a crash at any append a call with other arguments runs at most once, and never with its own', async () => {
  for (let at = 1; ; at += 1) {
    await using disk = memoryStore();
    const { conversation, agent, runs } = await waiting(disk);
    await conversation.approve({ arguments: { text: 'b' } });
    await conversation[Symbol.asyncDispose]();
    const store = crashingStore(disk, { at, stored: at % 2 === 0 });
    const crashed = await Conversation.open({ agent, store, id });
    const error = await crashed.run().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    await crashed[Symbol.asyncDispose]().catch(() => undefined);
    if (error === undefined) break;
    expect(error).toBeInstanceOf(Crash);
    await using again = await Conversation.open({ agent, store: disk, id });
    await again.run();
    expect([runs.has('a'), runs.get('b') ?? 0]).toEqual([false, expect.toBeOneOf([0, 1])]);
    expect(JSON.stringify(again.request().messages)).toContain('with these instead');
  }
});

test('a person who is asked about the sandbox sees the arguments that run', async () => {
  await using store = memoryStore();
  const { conversation } = await waiting(store, {
    wrapTool: (tool) => ({
      ...tool,
      async execute(input, context) {
        await context.askOutside?.({ title: 'It refused a file.', claims: [], ports: [], text: '', isDenied: false });
        return tool.execute(input, context);
      },
    }),
  });
  await conversation.approve({ arguments: { text: 'b' } });
  const asked: unknown[] = [];
  await conversation.run({ askOutside: async ({ event }) => asked.push(event.action) > 1 });
  expect(asked[0]).toMatchObject({ data: { text: 'b' } });
});

test('the result of a failed call contains the other arguments', async () => {
  await using store = memoryStore();
  const { conversation, runs } = await waiting(store, {
    wrapTool: (tool) => ({ ...tool, execute: () => Promise.reject(new Error('The disk is full.')) }),
  });
  await conversation.approve({ arguments: { text: 'b' } });
  await conversation.run();
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  const errors = events.flatMap((event) => (AgentErrorEvent.is(event) ? [event.error] : []));
  expect(errors[0]).toMatch(/"b"[^]*record failed: The disk is full\./);
  expect(runs.size).toBe(0);
  const facts = events.flatMap((event) => approvalFact.read(event) ?? []);
  expect(facts).toMatchObject([{ action: { data: { text: 'b' } } }]);
});

test('the outcome of a call with other arguments that is interrupted is unknown, and its error contains them', async () => {
  await using store = memoryStore();
  const started = Promise.withResolvers<void>();
  const execute: Tool['execute'] = async (_input, { signal }) => {
    started.resolve();
    await once(signal, 'abort');
    throw signal.reason;
  };
  const { conversation } = await waiting(store, { wrapTool: (tool) => ({ ...tool, execute }) });
  await conversation.approve({ arguments: { text: 'b' } });
  const run = conversation.run();
  await started.promise;
  await conversation.interrupt();
  expect((await run).evidence?.text).toBe('the outcome of 1 call is unknown');
  const events = await Array.fromAsync(conversation.events(), ({ event }) => event);
  expect(events.flatMap((event) => (AgentErrorEvent.is(event) ? [event.error] : []))).toEqual([
    changedCallMessage({ text: 'b', kind: 'RecordAction' }, interruptedMessage),
  ]);
});

test('an argument with the name of the container of others is one of several', () => {
  const message = changedCallMessage({ data: 'x', to: 'a.txt', kind: 'PutAction' }, 'Done.');
  expect(message).toContain('{"data":"x","to":"a.txt"}');
});
