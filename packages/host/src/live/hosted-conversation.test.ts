import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { approvalFact } from '@varve/events/facts';
import { scriptedModel, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { expect, onTestFinished, test } from 'vitest';
import { Questions } from '../people/questions.ts';
import type { Approval, Person } from '../people/person.ts';
import { RunQueue } from '../queues.ts';
import { HostedConversation, type HostedOptions } from './hosted-conversation.ts';

const command: ScriptedTurn = { calls: [{ name: 'terminal', arguments: { command: 'true' } }] };
const done: ScriptedTurn = { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };

/** Hosts a new conversation with such replies, whose calls wait for a person. */
async function hostedWith(turns: readonly ScriptedStep[], options: HostedOptions = {}) {
  const model = scriptedModel(turns);
  const agent = defineAgent({ model, tools: () => [terminal(), finish()], confirmation: alwaysConfirm() });
  const conversation = await Conversation.create({ agent, store: memoryStore(), workspace: '/' });
  const hosted = new HostedConversation(conversation, options);
  onTestFinished(async () => hosted[Symbol.asyncDispose]());
  return { hosted, conversation, model };
}

/** Returns the questions to a person who decides so about one call after the other, and what was asked. */
function questionsTo(answers: Approval[]) {
  const asked: string[] = [];
  const person: Person = {
    approve: async ({ call, number, count }) => {
      asked.push(`${call.event.tool_name} ${number} of ${count}`);
      return answers.shift() ?? 'later';
    },
    choose: async () => undefined,
  };
  return { questions: new Questions(person, { addRules: async () => undefined }), asked };
}

test('a run asks about waiting calls and continues until nothing is left to decide', async () => {
  const { hosted, conversation } = await hostedWith([command, done]);
  await hosted.send('Go.');
  const { questions, asked } = questionsTo(['once']);
  const result = await hosted.run({ questions });
  expect([result.reason, result.text, asked]).toEqual(['finished', 'Done.', ['terminal 1 of 1']]);
  expect(conversation.state.pending).toEqual([]);
});

test('without a person the run ends as waiting, and a decision lets the next one continue', async () => {
  const { hosted } = await hostedWith([command, done]);
  await hosted.send('Go.');
  expect((await hosted.run()).reason).toBe('waiting');
  const { asked, digest } = hosted.waiting();
  expect(asked.map(({ event }) => event.tool_name)).toEqual(['terminal']);
  await hosted.decide({ digest, by: 'test' });
  expect((await hosted.run()).text).toBe('Done.');
  expect(hosted.waiting().calls).toEqual([]);
});

test('a second run joins the first, which answers the message that arrived during it', async () => {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  const slow: ScriptedStep = () => {
    asked.resolve();
    return { text: 'First answer.', gate: gate.promise };
  };
  const { hosted, model } = await hostedWith([slow, { text: 'Second answer.' }]);
  await hosted.send('First question.');
  const first = hosted.run();
  await asked.promise;
  await hosted.send('Second question.');
  const second = hosted.run();
  gate.resolve();
  const texts = (await Promise.all([first, second])).map(({ text }) => text);
  expect(texts).toEqual(['Second answer.', 'Second answer.']);
  expect(model.requests).toHaveLength(2);
});

test('an interrupt during a question leaves the call undecided, without an approval', async () => {
  const { hosted, conversation } = await hostedWith([command, done]);
  await hosted.send('Go.');
  const person: Person = {
    approve: async (_question, signal) => {
      const cancelled = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      void hosted.interrupt();
      await cancelled;
      return 'later';
    },
    choose: async () => undefined,
  };
  const result = await hosted.run({ questions: new Questions(person, { addRules: async () => undefined }) });
  expect(result.reason).toBe('waiting');
  expect(hosted.waiting().calls).toHaveLength(1);
  const events = await Array.fromAsync(conversation.events());
  expect(events.some(({ event }) => approvalFact.read(event))).toBe(false);
});

test('those who follow receive each event once and in order, and a piece of a reply after the events before it', async () => {
  const { hosted, conversation } = await hostedWith([{ text: 'Hello there.' }]);
  const received: string[] = [];
  hosted.follow({ addEvent: ({ id }) => received.push(id), addDelta: () => received.push('piece') }, 0);
  await hosted.send('Hi.');
  await hosted.run();
  const stored = (await Array.fromAsync(conversation.events())).map(({ event }) => event.id);
  expect(received.filter((id) => id !== 'piece')).toEqual(stored);
  expect(received.indexOf('piece')).toBeGreaterThan(0);
});

test('a run that is paused while it waits for its turn ends as paused, and a second run waits for it', async () => {
  const queue = new RunQueue(1).of('');
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  queue.add(async () => {
    asked.resolve();
    await gate.promise;
  });
  await asked.promise;
  const { hosted } = await hostedWith([{ text: 'Never.' }], { queue });
  await hosted.send('Go.');
  const both = [hosted.run(), hosted.run()];
  await expect.poll(() => hosted.runs.isActive).toBe(true);
  await hosted.pause();
  expect((await Promise.all(both)).map(({ reason }) => reason)).toEqual(['paused', 'paused']);
  gate.resolve();
});

test('a run that is started in the background approves nothing that waits', async () => {
  const { hosted } = await hostedWith([command, done]);
  await hosted.send('Go.');
  await hosted.run();
  await hosted.runs.start();
  await hosted.runs.idle();
  expect(hosted.waiting().calls).toHaveLength(1);
});

test('two callers that wait until events are received both continue', async () => {
  const { hosted } = await hostedWith([{ text: 'Hello.' }]);
  const follower = hosted.follow({ addEvent: () => undefined }, 0);
  await hosted.send('Hi.');
  await Promise.all([follower.caughtUp(), follower.caughtUp()]);
  expect(follower.next).toBe(hosted.conversation.state.head);
});
