import { expect, test } from 'vitest';
import { once } from 'node:events';
import { scriptedModel, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish, type Tool } from '@varve/tools';
import * as z from 'zod';
import { defineAgent } from '../src/agent/agent.ts';
import { Conversation } from '../src/conversation/conversation.ts';
import { createAgent } from '../src/conversation/create-agent.ts';
import { AgentError } from '../src/error.ts';
import type { RunStream, StreamPart } from '../src/stream/run-stream.ts';

const lookUp: ScriptedTurn = { text: 'I look it up.', calls: [{ name: 'weather', arguments: { city: 'Bergen' } }] };
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'It rains in Bergen.' } }] };

/** Creates a tool that answers after the promise. */
const weatherAfter = (ready: Promise<void>): Tool =>
  defineTool({
    name: 'weather',
    description: 'Returns the weather of a city.',
    input: z.object({ city: z.string() }),
    effect: 'read',
    execute: async ({ city }) => (await ready, `Rain in ${city}.`),
  });
const weather = weatherAfter(Promise.resolve());

async function started(turns: readonly ScriptedTurn[], tools: readonly Tool[] = [weather]) {
  const agent = defineAgent({ model: scriptedModel(turns), tools: () => [...tools, finish()] });
  const store = memoryStore();
  return { agent, store, conversation: await Conversation.create({ agent, store, workspace: process.cwd() }) };
}

async function partsOf(stream: RunStream): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

const textOf = (parts: readonly StreamPart[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : part.kind === 'event' ? '|' : '')).join('');

test('pieces of a reply come before its events, and the message of finish is text', async () => {
  const { conversation } = await started([lookUp, done]);
  const from = conversation.state.head;
  const stream = conversation.stream('How is the weather in Bergen?');
  const parts = await partsOf(stream);
  expect(textOf(parts).replaceAll(/\|+/g, '|')).toBe('|I look it up.|It rains in Bergen.|');
  expect(await stream.text).toBe('It rains in Bergen.');
  const events = parts.filter((part) => part.kind === 'event');
  expect(events.map(({ text }) => text)).toEqual(
    await Array.fromAsync(conversation.events({ from }), ({ text }) => text),
  );
  const positions = parts.map(({ position }) => position);
  expect(positions).toEqual(positions.toSorted((a, b) => a - b));
});

test('the text can be read alone', async () => {
  const { conversation } = await started([lookUp, done]);
  const { textStream, text } = conversation.stream('How is the weather in Bergen?');
  expect((await Array.fromAsync(textStream)).join('')).toBe('I look it up.It rains in Bergen.');
  expect(await text).toBe('It rains in Bergen.');
});

test('a second message has a stream of its own', async () => {
  const { conversation } = await started([done, lookUp, done]);
  await partsOf(conversation.stream('First.'));
  const { head } = conversation.state;
  const parts = await partsOf(conversation.stream('Second.'));
  expect(parts[0]).toMatchObject({ kind: 'event', position: head, event: { kind: 'MessageEvent' } });
  expect(textOf(parts).replaceAll('|', '')).toBe('I look it up.It rains in Bergen.');
});

test('a loop that ends interrupts the run, and the log is complete', async () => {
  const calls = new EventTarget();
  const waits = defineTool({
    name: 'wait',
    description: 'Waits until it is cancelled.',
    input: z.object({}),
    effect: 'read',
    async execute(_input, { signal }) {
      calls.dispatchEvent(new Event('start'));
      await once(signal, 'abort');
      return 'Cancelled.';
    },
  });
  const { conversation } = await started([{ calls: [{ name: 'wait', arguments: {} }] }, done], [waits]);
  const start = once(calls, 'start');
  const stream = conversation.stream('Wait.');
  for await (const part of stream) {
    if (part.kind !== 'event' || part.event.kind !== 'ActionEvent') continue;
    await start;
    break;
  }
  expect(await stream.result).toMatchObject({ reason: 'interrupted' });
  expect(conversation.state).toMatchObject({ status: 'paused', pending: [] });
});

test('a reader that comes back continues at its position', async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const { conversation, agent, store } = await started([lookUp, done], [weatherAfter(isRead)]);
  const read: StreamPart[] = [];
  for await (const part of conversation.stream('How is the weather?')) {
    if (part.kind === 'event') read.push(part);
    if (part.kind !== 'event' || part.event.kind !== 'ActionEvent') continue;
    resolve();
    break;
  }
  const from = (read.at(-1)?.position ?? 0) + 1;
  await conversation[Symbol.asyncDispose]();
  await using again = await Conversation.open({ agent, store, id: conversation.id });
  const rest = await partsOf(again.stream(undefined, { from }));
  const positions = [...read, ...rest].flatMap((part) => (part.kind === 'event' ? [part.position] : []));
  const first = positions[0] ?? -1;
  expect(positions).toEqual(Array.from({ length: again.state.head - first }, (_, index) => first + index));
  expect(textOf(rest)).toContain('It rains in Bergen.');
});

test('what is read from an earlier position is not text again', async () => {
  const { conversation } = await started([done, done]);
  await partsOf(conversation.stream('First.'));
  const parts = await partsOf(conversation.stream('Second.', { from: 0 }));
  expect(textOf(parts).replaceAll('|', '')).toBe('It rains in Bergen.');
  expect(parts.filter(({ kind }) => kind === 'event')).toHaveLength(conversation.state.head);
});

test('a stream of a busy conversation throws, and leaves the run of another caller alone', async () => {
  const { promise: isRead, resolve } = Promise.withResolvers<void>();
  const { conversation } = await started([lookUp, done], [weatherAfter(isRead)]);
  const first = conversation.stream('First.');
  const parts: StreamPart[] = [];
  const failures: unknown[] = [];
  for await (const part of first) {
    if (part.kind !== 'text') continue;
    if (parts.length === 0) failures.push(await partsOf(conversation.stream()).catch((error: unknown) => error));
    resolve();
    parts.push(part);
  }
  expect(failures).toEqual([expect.any(AgentError)]);
  expect(textOf(parts)).toBe('I look it up.It rains in Bergen.');
});

test('the answer in the form of a schema is there while it arrives', async () => {
  const answer = { cities: ['Bergen', 'Oslo'] };
  await using agent = createAgent({
    model: scriptedModel([{ calls: [{ name: 'finish', arguments: { message: 'In two.', ...answer } }] }]),
    output: z.object({ cities: z.array(z.string()) }),
    tools: () => [],
  });
  const stream = await agent.stream('Where does it rain?');
  const partial: unknown[] = [];
  for await (const { kind } of stream) if (kind === 'tool-call') partial.push(structuredClone(stream.partialOutput));
  expect(partial.at(-1)).toEqual(answer);
  expect((await stream.result).output).toEqual(answer);
});

test('events that are followed end with the loop', async () => {
  const { conversation } = await started([done]);
  const kinds: string[] = [];
  const run = conversation.stream('Go.').result;
  for await (const { event } of conversation.events({ follow: true })) {
    kinds.push(event.kind);
    if (event.kind === 'ActionEvent') break;
  }
  await run;
  expect(kinds).toContain('ActionEvent');
});

test('two readers share the parts, and a stream that was read ends', async () => {
  const { conversation } = await started([lookUp, done]);
  const stream = conversation.stream('How is the weather?');
  const read = await Promise.all([partsOf(stream), partsOf(stream)]);
  const positions = read.flat().flatMap((part) => (part.kind === 'event' ? [part.position] : []));
  const { head } = conversation.state;
  expect(positions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: head - 1 }, (_, index) => index + 1));
  expect(await partsOf(stream)).toEqual([]);
});

test('a stream ends when the conversation is closed before all was read', async () => {
  const { conversation } = await started([lookUp, done]);
  const stream = conversation.stream('How is the weather?');
  await stream.result;
  await conversation[Symbol.asyncDispose]();
  expect(await partsOf(stream)).toEqual([]);
});
