import { describe, expect, test } from 'vitest';
import type { LlmErrorCode } from '../error.ts';
import { errorCodeOf } from './error-code.ts';

type Row = readonly [status: number | undefined, text: string];

/** Texts as providers and local servers word them. */
const rows: Readonly<Partial<Record<LlmErrorCode, readonly Row[]>>> = {
  'malformed-reply': [
    [400, '{"code":"tool_use_failed","failed_generation":"<function=grep>too many requests</function>"}'],
    [undefined, '{"code":"tool_use_failed"}'],
  ],
  'context-overflow': [
    [400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."],
    [400, '{"code":"context_length_exceeded"}'],
    [400, 'prompt is too long: 213000 tokens > 200000 maximum'],
    [400, 'input length and `max_tokens` exceed context limit: 199000 + 8000 > 200000'],
    [400, 'the request exceeds the available context size, try increasing it'],
    [500, 'the request exceeds the available context size. n_ctx=4096'],
    [400, 'Input is too long for requested model.'],
    [400, 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'],
    [400, 'Please reduce the length of the messages or completion.'],
    [400, 'This endpoint maximum context length is 32768 tokens.'],
    [400, 'Range of input length should be [1, 30720]'],
    [400, 'Your input exceeds the context window of this model.'],
    [400, 'The input (9000 tokens) is longer than the model context length (8192 tokens).'],
    [400, 'exceeded model token limit: 131072 (requested: 140000)'],
    [400, 'token limit exceeded'],
    [413, ''],
    [undefined, 'context_length_exceeded'],
  ],
  'malformed-history': [
    [400, '`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1'],
    [
      400,
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    ],
    [400, 'each tool_use must have a single result'],
    [400, 'unexpected `tool_use_id` found in `tool_result` blocks'],
    [400, "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."],
    [500, 'Failed to parse tool call arguments as JSON'],
    [500, 'Conversation roles must alternate user/assistant/user/assistant/...'],
  ],
  unauthenticated: [
    [401, ''],
    [401, 'Incorrect API key provided'],
    [403, ''],
    [403, 'Your account has no access'],
    [400, 'API key not valid: invalid api key'],
    [undefined, 'Unauthorized'],
  ],
  quota: [
    [402, 'Insufficient credits'],
    [402, 'You requested up to 8000 tokens, but can only afford 4000.'],
    [429, 'You exceeded your current quota, please check your plan and billing details.'],
    [429, '{"code":"insufficient_quota"}'],
    [429, 'Your usage limit reached for this month'],
    [403, 'Insufficient balance'],
    [undefined, 'insufficient_quota'],
  ],
  'rate-limited': [
    [429, ''],
    [429, 'Rate limit reached for gpt-5 on requests per min'],
    [429, 'Quota exceeded for quota metric: generate requests per minute. Please retry in 36s.'],
    [529, 'Overloaded'],
    [503, 'The model is overloaded. Please try again later.'],
    [400, 'ThrottlingException: Too many tokens, please wait before trying again.'],
    [500, 'Too many requests'],
    [undefined, '{"code":"rate_limit_exceeded"}'],
  ],
  timeout: [
    [408, ''],
    [504, '<html>'],
    [524, 'A timeout occurred'],
  ],
  unavailable: [
    [500, ''],
    [502, 'Bad Gateway'],
    [503, 'Loading model'],
    [520, ''],
    [409, 'lock timeout'],
    [425, ''],
    [undefined, 'Provider returned error'],
    [undefined, ''],
  ],
  refused: [
    [400, 'The response was filtered due to the prompt triggering content management policy.'],
    [400, '{"code":"content_policy_violation"}'],
    [400, 'Output blocked by content filtering policy'],
    [403, 'Your chosen model requires moderation and your input was flagged for "violence"'],
  ],
  'unknown-model': [
    [404, ''],
    [404, 'The model `gpt-9` does not exist or you do not have access to it.'],
    [404, 'model "qwen9" not found, try pulling it first'],
    [404, '{"code":"DeploymentNotFound"}'],
    [400, 'gpt-9 is not a valid model ID'],
    [400, 'Model Not Exist'],
    [undefined, '{"code":"model_not_found"}'],
  ],
  unsupported: [
    [400, 'registry.ollama.ai/library/gemma:latest does not support tools'],
    [404, 'No endpoints found that support tool use.'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [400, "Unsupported parameter: 'max_tokens' is not supported with this model."],
    [422, 'Extra inputs are not permitted: stream_options'],
    [400, 'Unrecognized request argument supplied: seed'],
  ],
  'bad-request': [
    [400, ''],
    [400, 'temperature must be between 0 and 2'],
    [422, 'body.messages: Field required'],
    [307, ''],
    [undefined, 'Unexpected endpoint or method. (POST /chat/completions)'],
    [undefined, '{"type":"invalid_request_error","message":"messages: empty"}'],
  ],
};

const flat = Object.entries(rows).flatMap(([code, group]) =>
  group.map((row) => ({ code, status: row[0], text: row[1] })),
);

describe('the code of an error', () => {
  test.for(flat)('$status "$text" is $code', ({ code, status, text }) => {
    expect(errorCodeOf({ text, ...(status !== undefined && { status }) })).toBe(code);
  });
});

/** A text of this length would take hours if time grew faster than it. */
test('a text of megabytes is classified in linear time', () => {
  for (const filler of ['exceeds ', 'model ', 'tool_use ', 'bearer ']) {
    expect(errorCodeOf({ status: 400, text: filler.repeat(300_000) })).toBe('bad-request');
  }
});
