import { expect, test } from 'vitest';
import { chatAssembly } from './assembly.ts';
import { unknownDialect } from '../dialects/dialect.ts';
import type { AssembledModelReply } from '../protocol/build-reply.ts';
import { toWire } from './to-wire.ts';

type Delta = Readonly<Record<string, unknown>>;

function replyTo(...deltas: readonly Delta[]): AssembledModelReply {
  const answer = chatAssembly('leading');
  for (const delta of deltas) answer.push({ choices: [{ index: 0, delta }] });
  answer.push({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  return answer.reply({ model: 'claude' });
}

function thinkingPiece(thinking: string, signature?: string | null): Delta {
  return { thinking_blocks: [{ type: 'thinking', thinking, signature }] };
}

const call = { index: 0, id: 'a', function: { name: 'ping', arguments: '{}' } };

test('a thinking block grows until its signature, and is readable reasoning', () => {
  const sealed = { thinking_blocks: [{ type: 'redacted_thinking', data: 'XX' }] };
  const { message } = replyTo(
    thinkingPiece('I '),
    thinkingPiece('see.', null),
    thinkingPiece('', 's1'),
    sealed,
    thinkingPiece('So.', 's2'),
    {
      content: 'Yes.',
    },
  );
  expect(message.thinking_blocks).toEqual([
    { type: 'thinking', thinking: 'I see.', signature: 's1' },
    { type: 'redacted_thinking', data: 'XX' },
    { type: 'thinking', thinking: 'So.', signature: 's2' },
  ]);
  expect(message.reasoning_content).toBe('I see.So.');
});

test.for([{ content: 'Yes.' }, { tool_calls: [call] }])(
  'signed thinking with %o is sent back to its own model only',
  (content) => {
    const { message } = replyTo(thinkingPiece('I see.', 's1'), content);
    const sent = (model: string, sealedBack: boolean): unknown =>
      toWire(
        { messages: [message], tools: [], parameters: {} },
        { model, stream: false, vision: false, dialect: { ...unknownDialect, sealedBack } },
      ).messages[0]?.thinking_blocks;
    expect(sent('claude', true)).toEqual([{ type: 'thinking', thinking: 'I see.', signature: 's1' }]);
    expect([sent('other', true), sent('claude', false)]).toEqual([undefined, undefined]);
  },
);
