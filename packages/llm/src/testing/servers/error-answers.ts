import type { Fault, ScriptedError } from '../script/scripted-step.ts';

type Answer = Extract<Fault, { readonly kind: 'answer' }>;

/** Failures that a server causes by a reply. */
type UnsentCode = 'malformed-reply' | 'reply-limit' | 'empty' | 'truncated';

/** Error response of a provider for each failure: status, and code and message of its error object. */
const errors: Readonly<Record<Exclude<ScriptedError['code'], UnsentCode>, ErrorAnswer>> = {
  'rate-limited': { status: 429, code: 'rate_limit_exceeded', message: 'Rate limit reached.' },
  unavailable: { status: 503, code: 'server_error', message: 'The server cannot answer now.' },
  timeout: { status: 504, code: 'timeout', message: 'The upstream took too long.' },
  'context-overflow': {
    status: 400,
    code: 'context_length_exceeded',
    message: 'The prompt is longer than the window.',
  },
  'malformed-history': {
    status: 400,
    code: 'invalid_request_error',
    message: 'An assistant message with calls must be followed by tool messages for each call.',
  },
  unauthenticated: { status: 401, code: 'invalid_api_key', message: 'The key is wrong.' },
  quota: { status: 429, code: 'insufficient_quota', message: 'The account has no credit left.' },
  refused: { status: 400, code: 'content_policy_violation', message: 'The prompt breaks the rules.' },
  'unknown-model': { status: 404, code: 'model_not_found', message: 'There is no model of this name.' },
  unsupported: { status: 400, code: 'unsupported_parameter', message: 'This model does not support tools.' },
  'bad-request': { status: 400, code: 'invalid_request_error', message: 'A field has a wrong value.' },
};

interface ErrorAnswer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** Returns the response of a server for a scripted error, from which an adapter reads the same code. */
export function errorAnswer({ code, message, retryAfterMs }: ScriptedError): Answer {
  if (code === 'malformed-reply') return { kind: 'answer', body: '<!doctype html><title>Sign in</title>' };
  if (code === 'reply-limit') return { kind: 'answer', body: '['.repeat(10_000) };
  if (code === 'empty' || code === 'truncated') return { kind: 'answer', body: emptyReply(code) };
  const answer = errors[code];
  return {
    kind: 'answer',
    status: answer.status,
    ...(retryAfterMs !== undefined && { headers: { 'retry-after-ms': String(retryAfterMs) } }),
    body: { error: { message: message ?? answer.message, type: answer.code, code: answer.code } },
  };
}

function emptyReply(code: 'empty' | 'truncated'): Readonly<Record<string, unknown>> {
  const message = { role: 'assistant', content: null };
  return { id: 'nothing', choices: [{ index: 0, message, finish_reason: code === 'empty' ? 'stop' : 'length' }] };
}
