import assert from 'node:assert/strict';
import { textOf } from '@varve/events';
import type { ModelReply } from '../../model-reply.ts';
import type { ToolSpec } from '../../model-request.ts';
import { userRequest, type ModelCheck } from './model-check.ts';
import type { ScriptedTurn } from '../script/scripted-step.ts';

const twoCalls: ScriptedTurn = {
  id: 'reply-a',
  reasoning: 'Two things to look up.',
  text: 'Looking both up.',
  calls: [
    { id: 'call-a', name: 'grep', arguments: '{"pattern": "é→\\n",  "path":"."}' },
    { id: 'call-b', name: 'think', arguments: { thought: 'plan 😀' } },
  ],
  usage: { input_tokens: 120, output_tokens: 30, cache_read_tokens: 100, cache_write_tokens: 5, reasoning_tokens: 10 },
  costUsd: 0.0125,
};

/** Tools of the calls in these replies: calls in text are distinguished from prose only by the names of tools. */
const tools: readonly ToolSpec[] = [
  {
    name: 'grep',
    description: 'Searches.',
    parameters: { type: 'object', properties: { pattern: { type: 'string' }, path: { type: 'string' } } },
  },
  {
    name: 'think',
    description: 'Thinks.',
    parameters: { type: 'object', properties: { thought: { type: 'string' } } },
  },
];

/** Checks of replies. */
export const replyChecks: readonly ModelCheck[] = [
  {
    title: 'a text reply is one assistant message that ends with stop',
    async run(open) {
      await using opened = await open([{ text: 'Hello, world.' }]);
      const reply = await opened.model.generate(userRequest('Hi'));
      assert.equal(reply.message.role, 'assistant');
      assert.equal(textOf(reply.message.content), 'Hello, world.');
      assert.equal(reply.message.tool_calls, undefined);
      assert.equal(reply.finish, 'stop');
      assert.ok(reply.id !== '' && reply.model !== '' && reply.attempts >= 1 && reply.latencyMs >= 0);
    },
  },
  {
    title: 'several calls keep their order, names and arguments, with text and reasoning',
    async run(open) {
      await using opened = await open([twoCalls]);
      const { message, finish, id } = await opened.model.generate(userRequest('Look', { tools }));
      const calls = message.tool_calls?.map((call) => [call.name, JSON.parse(call.arguments)]);
      assert.deepEqual(calls, [
        ['grep', { pattern: 'é→\n', path: '.' }],
        ['think', { thought: 'plan 😀' }],
      ]);
      assert.deepEqual([id, finish, textOf(message.content)], ['reply-a', 'tool-calls', 'Looking both up.']);
      assert.equal(message.reasoning_content, 'Two things to look up.');
    },
  },
  {
    title: 'calls keep their ids and the bytes of their arguments, streamed or not',
    needs: 'call-fields',
    async run(open) {
      await using opened = await open([twoCalls, twoCalls]);
      for (const options of [{}, { onDelta: () => undefined }]) {
        const { message } = await opened.model.generate(userRequest('Look', { tools }), options);
        assert.deepEqual(
          message.tool_calls?.map((call) => [call.id, call.arguments]),
          [
            ['call-a', '{"pattern": "é→\\n",  "path":"."}'],
            ['call-b', '{"thought":"plan 😀"}'],
          ],
        );
      }
    },
  },
  {
    title: 'a reply of calls alone has no content',
    async run(open) {
      await using opened = await open([{ calls: [{ name: 'think', arguments: { thought: 'x' } }] }]);
      const { message, finish } = await opened.model.generate(userRequest('Look', { tools }));
      assert.deepEqual([message.content, message.tool_calls?.length, finish], [[], 1, 'tool-calls']);
    },
  },
  {
    title: 'arguments that are not JSON are returned unchanged',
    needs: 'call-fields',
    async run(open) {
      await using opened = await open([
        { calls: [{ name: 'grep', arguments: '{"pattern": "cut of' }], finish: 'length' },
      ]);
      const { message, finish } = await opened.model.generate(userRequest('Look', { tools }));
      assert.deepEqual(message.tool_calls?.[0]?.arguments, '{"pattern": "cut of');
      assert.equal(finish, 'length');
    },
  },
  {
    title: 'replies and calls without ids receive unique ids that are not empty',
    async run(open) {
      const call = { name: 'think', arguments: {} };
      await using opened = await open([{ calls: [call, call] }, { calls: [call] }]);
      const replies = [
        await opened.model.generate(userRequest('One', { tools })),
        await opened.model.generate(userRequest('Two', { tools })),
      ];
      const ids = replies.flatMap(({ id, message }) => [id, ...(message.tool_calls ?? []).map((each) => each.id)]);
      assert.equal(new Set(ids.filter((id) => id !== '')).size, 5);
    },
  },
  {
    title: 'usage and cost are those of the provider, and absent when it reports none',
    async run(open) {
      await using opened = await open([twoCalls, { text: 'Free of numbers.' }]);
      const reported = await opened.model.generate(userRequest('Look', { tools }));
      assert.deepEqual([reported.usage, reported.costUsd], [twoCalls.usage, 0.0125]);
      const unreported = await opened.model.generate(userRequest('Look', { tools }));
      assert.deepEqual([unreported.usage, unreported.costUsd], [undefined, undefined]);
    },
  },
  {
    title: 'streaming returns the same reply as not streaming, and its deltas add up to it',
    async run(open) {
      await using opened = await open([twoCalls, twoCalls]);
      const { latencyMs: _slow, ...whole } = await opened.model.generate(userRequest('Look', { tools }));
      const streamedParts = { text: '', reasoning: '', names: ['', ''], arguments: ['', ''] };
      const { latencyMs: _fast, ...streamed } = await opened.model.generate(userRequest('Look', { tools }), {
        onDelta(delta) {
          assert.notEqual(delta.kind, 'reset');
          if (delta.kind === 'text' || delta.kind === 'reasoning') streamedParts[delta.kind] += delta.text;
          if (delta.kind !== 'tool-call') return;
          streamedParts.names[delta.index] += delta.name ?? '';
          streamedParts.arguments[delta.index] += delta.arguments;
        },
      });
      assert.deepEqual(withoutCallIds(streamed), withoutCallIds(whole));
      const calls = whole.message.tool_calls ?? [];
      assert.deepEqual([streamedParts.text, streamedParts.reasoning], ['Looking both up.', 'Two things to look up.']);
      assert.deepEqual(streamedParts.names, ['grep', 'think']);
      assert.deepEqual(streamedParts.arguments, [calls[0]?.arguments, calls[1]?.arguments]);
    },
  },
];

/** Removes call ids: without an id from the provider they are generated, so two replies may differ. */
function withoutCallIds(reply: Omit<ModelReply, 'latencyMs'>): Omit<ModelReply, 'latencyMs'> {
  const calls = reply.message.tool_calls?.map((call) => ({ ...call, id: '' }));
  return { ...reply, message: { ...reply.message, ...(calls && { tool_calls: calls }) } };
}
