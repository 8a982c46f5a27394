// Pauses a run, interrupts a run, and simulates a crash: no write runs twice, and the next run continues.
import { Conversation, defineAgent } from '@varve/agent';
import { crashingStore } from '@varve/agent/testing';
import { textOf } from '@varve/events';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import * as z from 'zod';

const written: string[] = [];

/** A tool belongs to one conversation: opened again, it has a new one. */
const write = () =>
  defineTool({
    name: 'write',
    description: 'Writes a line.',
    input: z.object({ line: z.string().describe('Which.') }),
    effect: 'write',
    execute: async ({ line: words }) => {
      written.push(words);
      return `Wrote ${words}.`;
    },
  });

const agentOf = (steps: readonly ScriptedStep[]) =>
  defineAgent({ model: scriptedModel(steps), tools: () => [write(), finish()] });
const line = (what: string) => ({ calls: [{ name: 'write', arguments: { line: what } }] });
const done = { calls: [{ name: 'finish', arguments: { message: 'Written.' } }] };
const id = '0'.repeat(32);

await using disk = memoryStore();
{
  // The tenth append is the result of the second line: the line was written, but its result is lost.
  const store = crashingStore(disk, { at: 10, stored: false });
  const pausing: ScriptedStep = () => {
    conversation.pause();
    return line('one');
  };
  const agent = agentOf([pausing, line('two')]);
  await using conversation = await Conversation.create({ agent, store, workspace: process.cwd(), id });
  await conversation.send('Write one, two and three.');
  console.log('first run:', (await conversation.run()).reason);
  await conversation.run().catch((error: unknown) => {
    console.log('second run:', error instanceof Error ? error.message : error);
  });
}

const hanging: ScriptedStep = () => {
  void conversation.interrupt();
  return { fault: { kind: 'hang', afterPieces: 0 } };
};
await using conversation = await Conversation.open({ agent: agentOf([hanging, line('three'), done]), store: disk, id });
console.log('reopened:', conversation.state.status, '· open calls', conversation.state.pending.length);
console.log('third run:', (await conversation.run()).reason);
const last = conversation.request().messages.at(-1);
console.log('message to the model:', last && textOf(last.content).split(':')[0]);
console.log('fourth run:', (await conversation.run()).reason);
console.log('written:', written.join(', '));
