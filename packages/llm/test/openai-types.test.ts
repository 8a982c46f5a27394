import type OpenAI from 'openai';
import { expect, expectTypeOf, test } from 'vitest';
import type { WireCall, WirePart, WireRequest, WireTool } from '../src/chat/wire-request.ts';
import type { OpenAiClient } from '../src/http/openai-client.ts';
import type { FinishReason } from '../src/model-reply.ts';
import { buildReply } from '../src/protocol/build-reply.ts';
import type { ResponseItem } from '../src/responses/response-item.ts';
import { toResponseBody } from '../src/responses/to-response-body.ts';
import { unknownDialect } from '../src/dialects/dialect.ts';
import { userRequest } from '../src/testing/index.ts';

// The compiler compares what this package reads and writes with the types of the package `openai`.

type Chat = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type Chunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type Body = OpenAI.Responses.ResponseCreateParams;

/** The client's types have lists that may be changed. */
type Writable<T> = T extends (infer Item)[] | readonly (infer Item)[]
  ? Writable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Writable<T[Key]> }
    : T;

/** Fields of other servers, and those whose types are compared by their parts. */
type OtherServers = 'reasoning' | 'thinking' | 'enable_thinking' | 'usage';

test('a request of the chat protocol has the fields and the parts of the client', () => {
  type Known = Omit<WireRequest, OtherServers | 'messages' | 'reasoning_effort'>;
  expectTypeOf<Writable<Known>>().toExtend<Omit<Chat, 'messages'>>();
  expectTypeOf<keyof Known>().toExtend<keyof Chat>();
  expectTypeOf<Writable<WireTool>>().toExtend<OpenAI.Chat.Completions.ChatCompletionTool>();
  expectTypeOf<Writable<WireCall>>().toExtend<OpenAI.Chat.Completions.ChatCompletionMessageToolCall>();
  expectTypeOf<WirePart>().toExtend<OpenAI.Chat.Completions.ChatCompletionContentPart>();
  expectTypeOf<WireRequest['messages'][number]['role']>().toExtend<Chat['messages'][number]['role']>();
});

test('an answer of the chat protocol has the fields that are read', () => {
  expectTypeOf<'id' | 'model' | 'choices' | 'usage'>().toExtend<keyof Chunk>();
  type Choice = Chunk['choices'][number];
  expectTypeOf<'delta' | 'finish_reason' | 'index'>().toExtend<keyof Choice>();
  expectTypeOf<'content' | 'refusal' | 'tool_calls' | 'function_call'>().toExtend<keyof Choice['delta']>();
  type Usage = NonNullable<Chunk['usage']>;
  expectTypeOf<'prompt_tokens' | 'completion_tokens' | 'total_tokens'>().toExtend<keyof Usage>();
  expectTypeOf<'cached_tokens'>().toExtend<keyof NonNullable<Usage['prompt_tokens_details']>>();
  expectTypeOf<'reasoning_tokens'>().toExtend<keyof NonNullable<Usage['completion_tokens_details']>>();
});

test('each reason for the end of a reply is known', () => {
  const reasons: Record<NonNullable<Chunk['choices'][number]['finish_reason']>, FinishReason> = {
    stop: 'stop',
    length: 'length',
    tool_calls: 'stop',
    content_filter: 'content-filter',
    function_call: 'stop',
  };
  const base = { id: '', model: '', text: 'Hi', reasoning: '', reasoningDetails: [], thinkingBlocks: [], calls: [] };
  for (const [finish, reason] of Object.entries(reasons)) {
    const reply = buildReply({ ...base, finish, usage: undefined, hasChoice: true }, { model: 'm' });
    expect(reply.finish).toBe(reason);
  }
});

test('items and fields of the Responses protocol are those of the client', () => {
  type Item = Exclude<ResponseItem, { readonly role: 'assistant' } | { readonly type: 'reasoning' }>;
  expectTypeOf<Writable<Item>>().toExtend<OpenAI.Responses.ResponseInputItem>();
  expectTypeOf<ResponseItem['type']>().toExtend<OpenAI.Responses.ResponseInputItem['type']>();
  type Reasoning = Extract<ResponseItem, { readonly type: 'reasoning' }>;
  expectTypeOf<keyof Reasoning>().toExtend<keyof OpenAI.Responses.ResponseReasoningItem>();
  const fields: Partial<Record<keyof Body, true>> = {
    model: true,
    input: true,
    instructions: true,
    tools: true,
    tool_choice: true,
    temperature: true,
    top_p: true,
    max_output_tokens: true,
    reasoning: true,
    store: true,
    include: true,
    prompt_cache_key: true,
    stream: true,
  };
  const tools = [{ name: 't', description: '', parameters: { type: 'object', properties: {} } }];
  const parameters = {
    temperature: 1,
    topP: 1,
    maxOutputTokens: 9,
    reasoningEffort: 'low',
    toolChoice: 'none',
  } as const;
  const dialect = { ...unknownDialect, cacheKey: true };
  const settings = { model: 'm', stream: true, store: false, vision: true, dialect };
  const request = userRequest('Hi', { tools, parameters, cacheKey: 'c' });
  expect(Object.keys(toResponseBody(request, settings)).filter((name) => !Object.hasOwn(fields, name))).toEqual([]);
});

test('the events that are read are those of the client', () => {
  type Read =
    | 'response.output_text.delta'
    | 'response.refusal.delta'
    | 'response.reasoning_summary_text.delta'
    | 'response.reasoning_text.delta'
    | 'response.function_call_arguments.delta'
    | 'response.output_item.added'
    | 'response.output_item.done'
    | 'response.completed'
    | 'response.incomplete'
    | 'response.failed'
    | 'error';
  expectTypeOf<Read>().toExtend<OpenAI.Responses.ResponseStreamEvent['type']>();
  expectTypeOf<OpenAI>().toExtend<OpenAiClient>();
});
