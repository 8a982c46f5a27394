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
const reasoning = fc.record({ summary: fc.array(words, { maxLength: 2 }), encrypted_content: words });

function message(role: Message['role'], said: string, fields: Partial<Message> = {}): Message {
  return { role, content: said === '' ? [] : [text(said)], thinking_blocks: [], ...fields };
}

const here = { origin: 'm' };

/** Reasoning says where it came from: with the first call where there is one. */
function marked(each: Message): Message {
  const [first, ...rest] = each.tool_calls ?? [];
  return each.responses_reasoning_item && first ? { ...each, tool_calls: [{ ...first, extra: here }, ...rest] } : each;
}

function bare({ extra: _origin, ...each }: Message): Message {
  return each;
}

/** A turn: what the user says, and what the assistant answers with its results. */
const turn = fc
  .record({
    asked: words,
    said: fc.oneof(words, fc.constant('')),
    thought: fc.option(reasoning, { nil: undefined }),
    calls: fc.uniqueArray(call, { maxLength: 3, selector: ({ id }) => id }),
  })
  .filter(({ said, calls }) => said !== '' || calls.length > 0)
  .map(({ asked, said, thought, calls }) => [
    message('user', asked),
    message('assistant', said, {
      ...(calls.length > 0 && { tool_calls: calls }),
      ...(thought && { responses_reasoning_item: thought }),
      ...(thought && calls.length === 0 && { extra: here }),
    }),
    ...calls.map(({ id, name }) => message('tool', `result of ${name}`, { tool_call_id: id })),
  ]);

test('a server reads back every message that is sent to it, reasoning and ids included', () => {
  fc.assert(
    fc.property(fc.array(turn, { maxLength: 4 }), (turns) => {
      const messages = turns.flat().map(marked);
      const body: unknown = JSON.parse(JSON.stringify(toResponseBody(userRequest('', { messages }), settings)));
      expect(requestOfItems(responseRequest.parse(body)).messages).toEqual(turns.flat().map(bare));
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
