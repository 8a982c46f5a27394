import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, type Effect } from '@varve/tools';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { aroundAppends } from '../src/testing/around-appends.ts';
import { countingTool } from '../src/testing/counting-tool.ts';

const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
const call = (...texts: string[]): ScriptedTurn => ({
  calls: texts.map((text) => ({ name: 'record', arguments: { text } })),
});

interface Started {
  readonly effect: Effect;
  readonly steps: readonly ScriptedStep[];
  /** Called before each append. */
  readonly onAppend?: () => unknown;
  /** Called when a call is executed. */
  readonly onTool?: (times: number) => unknown;
  readonly disk?: EventStore;
  readonly secrets?: readonly string[];
}

async function started({ effect, steps, onAppend, onTool, disk = memoryStore(), secrets = [] }: Started) {
  const log: string[] = [];
  const { tool, runs } = countingTool({ effect });
  const watched = () => {
    const inner = tool();
    const execute: typeof inner.execute = async (input, context) => {
      log.push('tool');
      onTool?.(log.filter((what) => what === 'tool').length);
      return inner.execute(input, context);
    };
    return { ...inner, execute };
  };
  const model = scriptedModel(
    steps.map((step) => async (request) => {
      log.push('request');
      // The reply of a server never arrives within the same turn of the event loop.
      await setImmediate();
      return typeof step === 'function' ? step(request) : step;
    }),
  );
  const store = aroundAppends(disk, async (append) => {
    log.push('append');
    await onAppend?.();
    return append();
  });
  const agent = defineAgent({ model, tools: () => [watched(), finish()] });
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd(), secrets });
  await conversation.send('Go.');
  log.splice(0);
  return { conversation, model, runs, log, disk, agent };
}

test('a reply is stored before its calls that only read run, and their results before the model reads them', async () => {
  const { conversation, log } = await started({ effect: 'read', steps: [call('a'), call('b', 'c'), done] });
  await conversation.run();
  // The first append starts the run, and the last three end it: a reply, its result, the time of the run.
  expect(log.join(' ')).toBe(
    'append request append tool append request append tool append tool append request append append append',
  );
  expect(await Array.fromAsync(conversation.events())).toHaveLength(conversation.state.head);
});

test('a reply is stored before a call with side effects starts, and its result before the model reads it', async () => {
  const { conversation, log } = await started({ effect: 'write', steps: [call('a'), done] });
  await conversation.run();
  // The start of the only call is stored with the reply.
  expect(log.join(' ')).toBe('append request append tool append request append append append');
});

test('of several calls with side effects, each is recorded when its turn comes', async () => {
  const { conversation, log } = await started({ effect: 'write', steps: [call('a', 'b'), done] });
  await conversation.run();
  expect(log.join(' ')).toBe(
    'append request append append tool append append tool append request append append append',
  );
});

test('a call in which a secret is masked is read as it is stored before its start is recorded', async () => {
  const steps = [call('hush-hush-0123'), done];
  const { conversation, log, runs } = await started({ effect: 'write', steps, secrets: ['hush-hush-0123'] });
  await conversation.run();
  expect(log.join(' ')).toBe('append request append append tool append request append append append');
  expect([...runs.keys()]).toEqual(['<secret-hidden>']);
});

test('an idempotent call starts when its reply is stored', async () => {
  const { conversation, log } = await started({ effect: 'idempotent', steps: [call('a'), done] });
  await conversation.run();
  expect(log.join(' ')).toBe('append request append tool append request append append append');
});

test('a request waits until the events it answers are stored, however slow the store is', async () => {
  let stored = 0;
  const slow = async (): Promise<void> => {
    for (let turn = 0; turn < 5; turn++) await setImmediate();
    stored += 1;
  };
  const seen: number[] = [];
  const steps = [call('a'), call('b'), done].map((step) => async (): Promise<ScriptedTurn> => {
    seen.push(stored);
    return step;
  });
  const { conversation } = await started({ effect: 'read', steps, onAppend: slow });
  await conversation.run();
  // The settings, the message and the start of the run are stored first; each step adds a reply and a result.
  expect([seen, stored]).toEqual([[3, 5, 7], 10]);
});

test('when a result cannot be stored the run ends before the next request, and the state is that of the log', async () => {
  const full = { isOn: false };
  const { conversation, log, disk, agent } = await started({
    effect: 'read',
    steps: [call('a'), call('b'), done],
    onAppend: () => {
      if (full.isOn) throw new Error('full');
    },
    onTool: (times) => (full.isOn = times === 1),
  });
  await expect(conversation.run()).rejects.toThrow('full');
  expect(log.filter((what) => what === 'request')).toHaveLength(1);
  const head = await (await disk.read(conversation.id)).head();
  expect(conversation.state).toEqual(await conversation.stateAt(head));
  await expect(conversation.send('Too early.')).rejects.toThrow('full');
  full.isOn = false;
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  await conversation[Symbol.asyncDispose]();
  const whole = defineAgent({ ...agent });
  await using again = await Conversation.open({ agent: whole, store: disk, id: conversation.id });
  expect(again.state).toEqual(conversation.state);
});

test('a message that cannot be stored with a failing run is not in the log, and its send rejects', async () => {
  const full = { isOn: false };
  const late: { send?: () => Promise<unknown> } = {};
  const { conversation, disk } = await started({
    effect: 'read',
    steps: [call('a'), done],
    onAppend: () => {
      if (full.isOn) throw new Error('full');
    },
    onTool: (times) => {
      if (times > 1) return;
      full.isOn = true;
      void late.send?.();
    },
  });
  let sent: Promise<unknown> = Promise.resolve();
  late.send = () => (sent = conversation.send('By the way.').catch((error: unknown) => error));
  const before = conversation.state.head;
  await expect(conversation.run()).rejects.toThrow('full');
  expect(await sent).toMatchObject({ message: 'full' });
  full.isOn = false;
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  const kinds = await Array.fromAsync((await disk.read(conversation.id)).range(before), ({ kind }) => kind);
  expect(kinds).not.toContain('MessageEvent');
});

test('a run that fails because of a bug loses nothing that was done before', async () => {
  const late: { breaks?: () => void } = {};
  const { conversation, model } = await started({
    effect: 'read',
    steps: [call('a'), done],
    onTool: () => late.breaks?.(),
  });
  late.breaks = () => conversation.switchModel({ ...model, generate: () => Promise.reject(new TypeError('A bug.')) });
  await expect(conversation.run()).rejects.toThrow('A bug.');
  expect(conversation.state.pending).toEqual([]);
  expect(conversation.state).toEqual(await conversation.stateAt(conversation.state.head));
  conversation.switchModel(model);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});
