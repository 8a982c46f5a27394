import { text, type Message } from '@varve/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialectFor } from '../dialects/dialect-rules.ts';
import { userRequest } from '../testing/index.ts';
import { requestOfItems, responseRequest } from '../testing/servers/response-request.ts';
import { toResponseBody, type ResponseSettings } from './to-response-body.ts';

const settings: ResponseSettings = {
  model: 'm',
  stream: false,
  vision: false,
  store: false,
  dialect: { ...dialectFor({ root: 'https://api.openai.com/v1', model: 'm' }), callIds: 'free' },
};

const words = fc.string({ unit: 'grapheme', minLength: 1 }).filter((value) => value.trim() !== '');
const toolName = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const call = fc.record({ id: words, name: toolName, arguments: fc.json(), origin: fc.constant('responses' as const) });
const reasoningItem = fc.record({ summary: fc.array(words, { maxLength: 2 }), encrypted_content: words });

function message(role: Message['role'], reply: string, fields: Partial<Message> = {}): Message {
  return { role, content: reply === '' ? [] : [text(reply)], thinking_blocks: [], ...fields };
}

const here = { origin: 'm' };

/** Adds the origin to the first call of a message with reasoning. */
function withOrigin(each: Message): Message {
  const [first, ...rest] = each.tool_calls ?? [];
  return each.responses_reasoning_item && first ? { ...each, tool_calls: [{ ...first, extra: here }, ...rest] } : each;
}

function bare({ extra: _origin, ...each }: Message): Message {
  return each;
}

/** A user message, the assistant's reply and the results of its calls. */
const turn = fc
  .record({
    question: words,
    reply: fc.oneof(words, fc.constant('')),
    reasoning: fc.option(reasoningItem, { nil: undefined }),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
  })
  .filter(({ reply, calls }) => reply !== '' || calls.length > 0)
  .map(({ question, reply, reasoning, calls }) => [
    message('user', question),
    message('assistant', reply, {
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(reasoning && { responses_reasoning_item: reasoning }),
      ...(reasoning && calls.length === 0 && { extra: here }),
    }),
    ...calls.map(({ id, name }) => message('tool', `result of ${name}`, { tool_call_id: id })),
  ]);

test('a server reads back every message that is sent to it, reasoning and ids included', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
      const messages = turns.flat().map(withOrigin);
      const body: unknown = JSON.parse(JSON.stringify(toResponseBody(userRequest('', { messages }), settings)));
      expect(requestOfItems(responseRequest().parse(body)).messages).toEqual(turns.flat().map(bare));
    }),
  );
});

test('a message that was sent before is sent as the same bytes', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 3 }), (turns) => {
      const cached = { ...settings, cache: new WeakMap<object, unknown>() };
      const requests = turns.map((_, count) => userRequest('', { messages: turns.slice(0, count + 1).flat() }));
      const fresh = requests.map((request) => toResponseBody(request, settings));
      expect([...requests, ...requests].map((request) => toResponseBody(request, cached))).toEqual([
        ...fresh,
        ...fresh,
      ]);
    }),
    { numRuns: 50 },
  );
});
