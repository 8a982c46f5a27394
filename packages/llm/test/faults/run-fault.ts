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
import type { FaultRow, ProtocolName, Seen, Stage } from './fault-row.ts';

/** A server that answers in the protocol of a stage. */
export async function serve({ protocol }: Stage, steps: Iterable<ScriptedStep>): Promise<ScriptedServer> {
  return protocol === 'chat' ? scriptedServer(steps) : scriptedResponses(steps);
}

const adapters: Readonly<Record<ProtocolName, (options: OpenAiChatOptions) => LanguageModel>> = {
  chat: openaiChat,
  responses: openaiResponses,
};

/** A model at an address, asked in the way of a stage. */
export function modelAt(
  { protocol, way }: Stage,
  { url }: Pick<ScriptedServer, 'url'>,
  options: Partial<OpenAiChatOptions> = {},
): LanguageModel {
  return adapters[protocol]({ model: 'm', apiKey: key, baseUrl: url, stream: way === 'streamed', ...options });
}

/** Options of `retry` with a clock that only waiting moves: as long as asked, and not at all where nothing is asked. */
export function patience(notices: { readonly failures: LlmError[]; readonly waits: number[] }): RetryOptions {
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

/** Plays one row in one protocol and way; rejects when anything is not as the row says. */
export async function runFault(row: FaultRow, stage: Stage): Promise<void> {
  const steps = typeof row.steps === 'function' ? row.steps(stage.protocol, stage.way) : row.steps;
  await using server = await serve(stage, steps);
  const seen = await ask(row, stage, server);
  server.assertDone();
  expectFailures(row, seen);
  expectReply(row, seen.replies.at(-1));
  if (row.waits) assert.deepEqual(seen.waits, row.waits);
  row.also?.(seen);
}

async function ask(row: FaultRow, stage: Stage, server: ScriptedServer): Promise<Seen> {
  const { asks = 1, request: asked = userRequest('Hi'), wrap = (model: LanguageModel) => model } = row;
  const request = typeof asked === 'function' ? asked(`m at ${server.url}`) : asked;
  const failures: LlmError[] = [];
  const waits: number[] = [];
  const deltas: Delta[] = [];
  const replies: ModelReply[] = [];
  const model = retry(patience({ failures, waits }))(wrap(modelAt(stage, server, row.options)));
  const onDelta = (delta: Delta): void => void deltas.push(delta);
  for (let count = 0; count < asks; count += 1) {
    const said = deltas.length;
    try {
      const reply = await model.generate(request, { onDelta });
      replies.push(reply);
      assert.equal(saidIn(deltas.slice(said)), textOf(reply.message.content), 'the pieces do not add up to the reply');
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
    bodies: server.requests.map(({ text }) => JSON.parse(text) as Seen['bodies'][number]),
    // A call is over as soon as its failure is known, which may be before the connection is.
    abandoned: await Promise.all(server.requests.map(({ abandoned }) => abandoned)),
  };
}

/** The text since the last reset. */
function saidIn(deltas: readonly Delta[]): string {
  const last = deltas.findLastIndex(({ kind }) => kind === 'reset');
  return deltas
    .slice(last + 1)
    .map((delta) => (delta.kind === 'text' ? delta.text : ''))
    .join('');
}

function expectFailures({ failures = [], reply }: FaultRow, seen: Seen): void {
  const codes = seen.failures.map(({ code }) => code);
  assert.deepEqual(
    codes,
    failures.map(([code]) => code),
    inspect(seen.failures),
  );
  assert.equal(seen.replies.length > 0, reply !== undefined, 'a reply where none should be, or none');
  for (const [index, error] of seen.failures.entries()) {
    assert.match(error.message, failures[index]?.[1] ?? /./);
    assert.match(error.message, /^m /, 'the message does not name the model');
    assert.ok(error.message.length < 400, 'the message is too long');
    const whole = inspect(error, { depth: 20, showHidden: true });
    assert.doesNotMatch(whole, /0123456789abcdef|<html|<!doctype/i, 'an error tells a secret or a page');
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
  assert.equal(new Set(ids.filter((id) => id.trim() !== '')).size, ids.length, 'calls without an id of their own');
  if (usage === 'untold') assert.equal(reply.usage, undefined);
  else if (usage) assert.deepEqual([reply.usage?.input_tokens, reply.usage?.output_tokens], usage);
}
