import { describe, expect, test } from 'vitest';
import { LlmError } from '../error.ts';
import { errorCodeOf } from '../http/error-code.ts';
import { unknownDialect, type Dialect } from './dialect.ts';
import { workaroundFor } from './workarounds.ts';

function rejection(text: string, status = 400): LlmError {
  return new LlmError(errorCodeOf({ status, text }), `images-model at http://x.test/v1 answered ${status}: ${text}`, {
    status,
  });
}

type Row = readonly [text: string, change: Partial<Dialect> | undefined, given?: Partial<Dialect>, status?: number];

/** As providers and servers word it. */
const rows: readonly Row[] = [
  [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    { outputLimit: 'max_completion_tokens' },
  ],
  ['Unknown field: max_completion_tokens', { outputLimit: 'max_tokens' }, { outputLimit: 'max_completion_tokens' }],
  ['max_tokens is too large: 100000', undefined],
  [
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.",
    { without: ['temperature'] },
  ],
  ['invalid temperature: only 1 is allowed for this model', { without: ['temperature'] }],
  ['temperature must be between 0 and 2', undefined],
  ['`temperature` and `top_p` cannot both be specified for this model', { without: ['top_p'] }],
  ["Unsupported parameter: 'top_p'", { without: ['temperature', 'top_p'] }, { without: ['temperature'] }],
  ["Unsupported parameter: 'top_p'", undefined, { without: ['top_p'] }],
  ['Unrecognized request argument supplied: seed', { without: ['seed'] }],
  [
    '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}',
    { without: ['stream_options'] },
    {},
    422,
  ],
  ['this model does not support the parameter reasoning_effort', { without: ['effort'] }],
  ['Streaming is not supported for this deployment.', { streams: false }],
  ["Unsupported parameter: 'stream'", { streams: false }],
  ['The upstream provider does not support this.', undefined],
  ['Thinking mode does not support this tool_choice', { without: ['tool_choice'] }],
  ['unknown parameter: prompt_cache_key', { cacheKey: false }, { cacheKey: true }],
  [
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    { reasoningBack: 'with-calls' },
  ],
  [
    'Missing `reasoning_content` field in the assistant message',
    { reasoningBack: 'always' },
    { reasoningBack: 'with-calls' },
  ],
  ["property 'reasoning_content' is unsupported", { reasoningBack: 'never' }, { reasoningBack: 'with-calls' }],
  ['messages.3.content.0: Invalid `signature` in `thinking` block', { sealedBack: false }],
  ['messages.0.content.0.cache_control: Extra inputs are not permitted', { cacheMarks: false }, { cacheMarks: true }],
  ['Cached content is too small. The minimum token count is 4096.', { cacheMarks: false }, { cacheMarks: true }],
  ['Cached content is too small. The minimum token count is 4096.', undefined],
  ['The encrypted content for item rs_1 could not be verified.', { sealedBack: false }],
  ['This model does not support image input', undefined],
  ['Unsupported image format: bmp', undefined],
  ['messages[1].content: invalid type: sequence, expected a string', { parts: false }],
  ['content must not be null', { emptyContent: 'text' }],
  ['Conversation roles must alternate user/assistant/user/assistant/...', { turns: 'alternating' }, {}, 500],
  ['System message must be at the beginning.', { system: 'first' }, { system: 'anywhere' }],
  ["Unexpected role 'user' after role 'tool'", { afterResults: 'assistant' }],
  ["messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", { callIds: 'plain' }],
  [
    "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40.",
    { callIds: 'plain' },
  ],
  ['Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.', { callIds: 'nine' }],
  ["Invalid schema for function 'grep': 'uri' is not a valid format.", { schema: 'google' }],
  ['Unknown name "additionalProperties" at \'tools[0].function_declarations[0].parameters\'', { schema: 'google' }],
  ['failed to parse grammar', { schema: 'flat' }, { schema: 'google' }, 500],
  ['failed to parse grammar', { schema: 'texts' }, { schema: 'flat' }],
  ['failed to parse grammar', undefined, { schema: 'texts' }],
  ["Invalid schema for function 'plot': In context=('points',), array schema missing items.", { schema: 'google' }],
  ['tools[0].function_declarations[0].parameters.properties[p].items: missing field.', { schema: 'google' }],
  ['gemma does not support tools', undefined],
  ['"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set', undefined],
  ['The model `images` does not exist', undefined, {}, 404],
  ['Unsupported: the prompt is too long', undefined],
  ['temperature is not supported', undefined, {}, 401],
  ['temperature is not supported', undefined, {}, 503],
];

describe('a rejection', () => {
  test.for(rows)('%s', ([text, change, settings = {}, status]) => {
    expect(workaroundFor(rejection(text, status), { ...unknownDialect, ...settings })?.dialect).toEqual(change);
  });
});

test('an affordable limit is a workaround for one request, unless it is too small', () => {
  const text = 'This request requires more credits. You requested up to 65536 tokens, but can only afford';
  expect(workaroundFor(rejection(`${text} 4000.`, 402), unknownDialect)).toEqual({
    name: 'affordable',
    maxOutputTokens: 4000,
  });
  expect(workaroundFor(rejection(`${text} 12.`, 402), unknownDialect)).toBe(undefined);
});

test('an error that is not an LlmError has no workaround', () => {
  expect(workaroundFor(new TypeError("Unsupported parameter: 'seed'"), unknownDialect)).toBe(undefined);
});
