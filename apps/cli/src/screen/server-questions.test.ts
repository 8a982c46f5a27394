import { setImmediate } from 'node:timers/promises';
import { alwaysConfirm, Conversation, defineAgent } from '@varve/agent';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish, terminal } from '@varve/tools';
import { expect, test } from 'vitest';
import type { ServedConversation } from './served-conversation.ts';
import { isUndecided, serverQuestions } from './server-questions.ts';

test('a call that nobody is asked about needs no decision', async () => {
  const agent = defineAgent({
    model: scriptedModel([{ calls: ['make', 'ls'].map((command) => ({ name: 'terminal', arguments: { command } })) }]),
    tools: () => [terminal(), finish()],
    confirmation: { spec: {}, review: ({ action }) => ({ asks: action['command'] === 'make', rule: 'ask make' }) },
  });
  await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: '/' });
  await conversation.send('Go.');
  await conversation.run();
  expect(isUndecided(conversation.state)).toBe(true);
  await conversation.approve({ actionIds: [conversation.state.pending[0]?.event.id ?? ''] });
  expect(isUndecided(conversation.state)).toBe(false);
});

const nothing = async (): Promise<void> => undefined;

test.for([
  ['a later cancellation', 1, true],
  ['none', 2, false],
] as const)(
  'with %s, calls that wait after a cancelled question are asked about %d times',
  async ([, times, isEnd]) => {
    const agent = defineAgent({
      model: scriptedModel([{ calls: [{ name: 'terminal', arguments: { command: 'make' } }] }]),
      tools: () => [terminal(), finish()],
      confirmation: alwaysConfirm(),
    });
    await using conversation = await Conversation.create({ agent, store: memoryStore(), workspace: '/' });
    await conversation.send('Go.');
    await conversation.run();
    const question = Promise.withResolvers<boolean>();
    let asked = 0;
    const decide = async (): Promise<boolean> => {
      asked += 1;
      return question.promise;
    };
    const failures: unknown[] = [];
    const asking = serverQuestions({ decide }, (error) => failures.push(error));
    const served: ServedConversation = {
      send: nothing,
      add: nothing,
      pursue: nothing,
      continue: nothing,
      interrupt: nothing,
      reviewed: () => conversation,
    };
    const ask = (): void => asking.ask(served, async () => conversation.state, '/');
    ask();
    asking.cancel();
    ask();
    if (isEnd) asking.cancel();
    question.resolve(false);
    // After all that the answer leads to.
    await setImmediate();
    expect([asked, failures]).toEqual([times, []]);
  },
);
