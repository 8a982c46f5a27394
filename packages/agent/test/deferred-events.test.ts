import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore, type EventStore } from '@varve/storage';
import { finish, type Effect } from '@varve/tools';
import { defineAgent } from '../src/agent.ts';
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
}

async function started({ effect, steps, onAppend, onTool, disk = memoryStore() }: Started) {
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
  const conversation = await Conversation.create({ agent, store, workspace: process.cwd() });
  await conversation.send('Go.');
  log.splice(0);
  return { conversation, model, runs, log, disk, agent };
}

test('calls that only read are stored together with their results, while the model reads them', async () => {
  const { conversation, log } = await started({ effect: 'read', steps: [call('a'), call('b', 'c'), done] });
  await conversation.run();
  // The first append starts the run. Each reply is stored with its results once the next request is sent.
  // The last two appends end the run.
  expect(log.join(' ')).toBe('append request tool request append tool tool request append append append');
  expect(await Array.fromAsync(conversation.events())).toHaveLength(conversation.state.head);
});

test('a reply is stored before a call with side effects starts, and its result before the model reads it', async () => {
  const { conversation, log } = await started({ effect: 'write', steps: [call('a'), done] });
  await conversation.run();
  expect(log.join(' ')).toBe('append request append append tool append request append append');
});

test('an idempotent call starts when its reply is stored', async () => {
  const { conversation, log } = await started({ effect: 'idempotent', steps: [call('a'), done] });
  await conversation.run();
  expect(log.join(' ')).toBe('append request append tool append request append append');
});

test('an immediate reply waits until the events it answers are stored', async () => {
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
  // The settings, the message and the start of the run are stored first. Results are still being stored when the
  // model is called; in the end all are stored.
  expect([seen, stored]).toEqual([[3, 3, 4], 7]);
});

test('when reads cannot be stored the run and its model call end immediately, and no trace of them remains', async () => {
  const full = { isOn: false };
  const { conversation, disk, agent } = await started({
    effect: 'read',
    steps: [call('a'), { fault: { kind: 'hang', afterPieces: 0 } }, call('b'), done],
    onAppend: () => {
      if (full.isOn) throw new Error('full');
    },
    onTool: (times) => (full.isOn = times === 1),
  });
  const before = conversation.state.head;
  await expect(conversation.run()).rejects.toThrow('full');
  expect(await (await disk.read(conversation.id)).head()).toBe(before + 2);
  // A reader that waits for all events of the state would otherwise wait for ever.
  expect(conversation.state).toEqual(await conversation.stateAt(before + 2));
  await expect(conversation.send('Too early.')).rejects.toThrow('full');
  full.isOn = false;
  await conversation.send('Again.');
  expect(conversation.state).toEqual(await conversation.stateAt(before + 3));
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
  await conversation[Symbol.asyncDispose]();
  const whole = defineAgent({ ...agent });
  await using again = await Conversation.open({ agent: whole, store: disk, id: conversation.id });
  expect(again.state).toEqual(conversation.state);
});

test('a message in the append of lost reads is not stored either, and its send rejects', async () => {
  const full = { isOn: false };
  const late: { send?: () => Promise<unknown> } = {};
  const { conversation, disk } = await started({
    effect: 'read',
    steps: [call('a'), done],
    onAppend: () => {
      if (full.isOn) throw new Error('full');
    },
    onTool: () => {
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

test('a run that fails because of a bug with deferred reads loses nothing for the next run', async () => {
  const full = { isOn: false };
  const late: { breaks?: () => void } = {};
  const { conversation, model } = await started({
    effect: 'read',
    steps: [call('a'), done],
    onAppend: () => {
      if (full.isOn) throw new Error('full');
    },
    onTool: () => late.breaks?.(),
  });
  const generate = async (): Promise<never> => {
    full.isOn = true;
    throw new TypeError('A bug.');
  };
  late.breaks = () => conversation.switchModel({ ...model, generate });
  const before = conversation.state.head;
  await expect(conversation.run()).rejects.toThrow('A bug.');
  full.isOn = false;
  await conversation.send('Again.');
  // The start of the run was stored; its reply was not.
  expect(conversation.state).toEqual(await conversation.stateAt(before + 3));
  conversation.switchModel(model);
  expect(await conversation.run()).toMatchObject({ reason: 'finished' });
});
