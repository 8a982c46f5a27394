import assert from 'node:assert/strict';
import { deepFreeze, text, textOf, type Message } from '@varve/events';
import type { ModelRequest } from '../../model-request.ts';
import { userRequest, type ModelCheck } from './model-check.ts';

/** Checks of the model's description and of requests. */
export const requestChecks: readonly ModelCheck[] = [
  {
    title: 'the spec survives JSON',
    async run(open) {
      await using opened = await open([]);
      assert.deepEqual(JSON.parse(JSON.stringify(opened.model.spec)), opened.model.spec);
    },
  },
  {
    title: 'it has a name and supports function calling',
    async run(open) {
      await using opened = await open([]);
      assert.notEqual(opened.model.name.trim(), '');
      assert.equal(opened.model.capabilities.functionCalling, true);
    },
  },
  {
    title: 'the request is not changed',
    async run(open) {
      await using opened = await open([{ text: 'Done.' }, { text: 'Done.' }]);
      const request = userRequest('Hi', { messages: history, tools: [tool], parameters: { temperature: 0 } });
      const before = JSON.stringify(request);
      deepFreeze(request);
      await opened.model.generate(request);
      await opened.model.generate(request, { onDelta: () => undefined });
      assert.equal(JSON.stringify(request), before);
    },
  },
  {
    title: 'the whole history arrives, in order',
    async run(open) {
      let arrived: ModelRequest | undefined;
      await using opened = await open([
        (request) => {
          arrived = request;
          return { text: 'Done.' };
        },
      ]);
      await opened.model.generate(userRequest('Hi', { messages: history, tools: [tool] }));
      const received = arrived?.messages.map(({ content }) => textOf(content)).join('\n') ?? '';
      const places = ['Be brief.', 'Look at this 😀', 'The first result.'].map((mark) => received.indexOf(mark));
      assert.ok(!places.includes(-1), 'a message did not arrive');
      assert.deepEqual(
        places,
        places.toSorted((a, b) => a - b),
      );
    },
  },
];

const tool = { name: 'grep', description: 'Searches.', parameters: { type: 'object', properties: {} } };

const history: readonly Message[] = [
  { role: 'system', content: [text('Be brief.')], thinking_blocks: [] },
  { role: 'user', content: [{ ...text('Look at this 😀'), cache_prompt: true }], thinking_blocks: [] },
  {
    role: 'assistant',
    content: [],
    tool_calls: [{ id: 'call-1', name: 'grep', arguments: '{}', origin: 'completion' }],
    thinking_blocks: [],
  },
  {
    role: 'tool',
    tool_call_id: 'call-1',
    name: 'grep',
    content: [text(`The first result. ${'x'.repeat(60_000)}`)],
    thinking_blocks: [],
  },
];
