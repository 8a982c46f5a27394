import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { textOf } from '@varve/events';
import type { Delta } from '../../src/delta.ts';
import { LlmError } from '../../src/error.ts';
import type { LanguageModel } from '../../src/language-model.ts';
import type { ModelReply } from '../../src/model-reply.ts';
import { openaiChat, type OpenAiChatOptions } from '../../src/chat/openai-chat.ts';
import { openaiResponses } from '../../src/responses/openai-responses.ts';
import { retry, type RetryOptions } from '../../src/retry.ts';
import {
  userRequest,
  scriptedResponses,
  scriptedServer,
  type ScriptedServer,
  type ScriptedStep,
} from '../../src/testing/index.ts';
import { key } from './answers.ts';
import type { FaultRow, ProtocolName, Outcome, Variant } from './fault-row.ts';

/** Starts a scripted server of the protocol of a variant. */
export async function serve({ protocol }: Variant, steps: Iterable<ScriptedStep>): Promise<ScriptedServer> {
  return protocol === 'chat' ? scriptedServer(steps) : scriptedResponses(steps);
}

const adapters: Readonly<Record<ProtocolName, (options: OpenAiChatOptions) => LanguageModel>> = {
  chat: openaiChat,
  responses: openaiResponses,
};

/** Creates a model at an address with the delivery mode of a variant. */
export function modelAt(
  { protocol, mode: way }: Variant,
  { url }: Pick<ScriptedServer, 'url'>,
  options: Partial<OpenAiChatOptions> = {},
): LanguageModel {
  return adapters[protocol]({ model: 'm', apiKey: key, baseUrl: url, stream: way === 'streamed', ...options });
}

/** Options of `retry` with a fake clock that advances by requested waits only; other waits are 0. */
export function retryWithoutWaiting(notices: {
  readonly failures: LlmError[];
  readonly waits: number[];
}): RetryOptions {
  let now = 0;
  return {
    random: () => 0,
    now: () => now,
    async sleep(ms) {
      now += ms;
    },
    onRetry({ error, delayMs }) {
      notices.failures.push(error);
      notices.waits.push(delayMs);
    },
  };
}

/** Runs one row in one variant; rejects when the outcome differs from the row. */
export async function runFault(row: FaultRow, variant: Variant): Promise<void> {
  const steps = typeof row.steps === 'function' ? row.steps(variant.protocol, variant.mode) : row.steps;
  await using server = await serve(variant, steps);
  const seen = await generateAll(row, variant, server);
  server.assertDone();
  expectFailures(row, seen);
  expectReply(row, seen.replies.at(-1));
  if (row.waits) assert.deepEqual(seen.waits, row.waits);
  row.also?.(seen);
}

async function generateAll(row: FaultRow, variant: Variant, server: ScriptedServer): Promise<Outcome> {
  const { repeats = 1, request: input = userRequest('Hi'), wrap = (model: LanguageModel) => model } = row;
  const request = typeof input === 'function' ? input(`m at ${server.url}`) : input;
  const failures: LlmError[] = [];
  const waits: number[] = [];
  const deltas: Delta[] = [];
  const replies: ModelReply[] = [];
  const model = retry(retryWithoutWaiting({ failures, waits }))(wrap(modelAt(variant, server, row.options)));
  const onDelta = (delta: Delta): void => void deltas.push(delta);
  for (let count = 0; count < repeats; count += 1) {
    const earlier = deltas.length;
    try {
      const reply = await model.generate(request, { onDelta });
      replies.push(reply);
      assert.equal(
        textSinceReset(deltas.slice(earlier)),
        textOf(reply.message.content),
        'the deltas do not add up to the reply',
      );
    } catch (error) {
      assert.ok(error instanceof LlmError, inspect(error));
      failures.push(error);
    }
  }
  const kinds = deltas.map(({ kind }) => kind);
  return {
    failures,
    replies,
    waits,
    deltas: kinds.filter((kind, index) => kind !== kinds[index - 1]),
    bodies: server.requests.map(({ text }) => JSON.parse(text) as Outcome['bodies'][number]),
    // A call may settle before its connection is closed.
    abandoned: await Promise.all(server.requests.map(({ abandoned }) => abandoned)),
  };
}

/** Returns the text since the last reset. */
function textSinceReset(deltas: readonly Delta[]): string {
  const last = deltas.findLastIndex(({ kind }) => kind === 'reset');
  return deltas
    .slice(last + 1)
    .map((delta) => (delta.kind === 'text' ? delta.text : ''))
    .join('');
}

function expectFailures({ failures = [], reply }: FaultRow, seen: Outcome): void {
  const codes = seen.failures.map(({ code }) => code);
  assert.deepEqual(
    codes,
    failures.map(([code]) => code),
    inspect(seen.failures),
  );
  assert.equal(seen.replies.length > 0, reply !== undefined, 'a reply is missing or unexpected');
  for (const [index, error] of seen.failures.entries()) {
    assert.match(error.message, failures[index]?.[1] ?? /./);
    assert.match(error.message, /^m /, 'the message does not name the model');
    assert.ok(error.message.length < 400, 'the message is too long');
    const whole = inspect(error, { depth: 20, showHidden: true });
    assert.doesNotMatch(whole, /0123456789abcdef|<html|<!doctype/i, 'an error contains a secret or a page');
  }
}

function expectReply({ reply: expected }: FaultRow, reply: ModelReply | undefined): void {
  if (!expected) return;
  assert.ok(reply);
  const { text, reasoning, finish, calls, usage } = expected;
  const { message } = reply;
  if (text !== undefined) assert.equal(textOf(message.content), text);
  if (reasoning !== undefined) assert.equal(message.reasoning_content, reasoning);
  if (finish !== undefined) assert.equal(reply.finish, finish);
  const made = (message.tool_calls ?? []).map((call) => [call.name, call.arguments]);
  assert.deepEqual(made, calls ?? []);
  const ids = (message.tool_calls ?? []).map(({ id }) => id);
  assert.equal(new Set(ids.filter((id) => id.trim() !== '')).size, ids.length, 'call ids are not unique');
  if (usage === 'absent') assert.equal(reply.usage, undefined);
  else if (usage) assert.deepEqual([reply.usage?.input_tokens, reply.usage?.output_tokens], usage);
}
