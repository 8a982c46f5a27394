import type { LlmErrorCode } from '../error.ts';

/** An error as a provider reports it. `status` is absent for an error in a 200 response that names none. */
export interface ProviderError {
  readonly status?: number;
  /** Message, code and type of the error. */
  readonly text: string;
}

interface Rule {
  readonly code: LlmErrorCode;
  readonly status?: readonly number[];
  readonly text?: RegExp;
}

/** Wordings of providers and local servers for a request that is longer than the context window. */
const overflow = new RegExp(
  [
    'context_?(?:length|window)_?exceeded',
    'contextwindowexceeded',
    'model_context_window_exceeded',
    'prompt is too long',
    'prompt exceeds max length',
    'request_too_large',
    'input is too long',
    'context (?:length|window|size) (?:is )?exceeded',
    'context window exceeds',
    'exceeds? (?:the )?(?:available|maximum|configured|model.{0,20}) ?context',
    'exceeds? .{0,60}maximum (?:context length|allowed input length)',
    'exceeds? (?:the )?context',
    'exceeded max context length',
    'exceeded model token limit',
    'exceed context limit',
    'maximum (?:context|prompt) length is',
    'input token count.{0,60}exceeds',
    'longer than the model.{0,20}context length',
    '(?:token|prompt|input).{0,60}exceeds the limit of',
    'greater than the context length',
    'too large for model with',
    'reduce the length of',
    'range of input length should be',
    'too many tokens',
    'token limit exceeded',
  ].join('|'),
  'i',
);

const brokenHistory =
  /tool_use.{0,40}without.{0,20}tool_result|must be followed by tool messages|must have a single result|multiple tool_result blocks|unexpected.{0,5}tool_use_id|failed to parse tool call arguments|roles must alternate|must be a response to a prece|tool_call_id.{0,60}(?:not found|did not have response)/i;

const noSupport =
  /does not support|do(?:es)?n't support|no endpoints found that support|requires --enable-auto-tool-choice|is not (?:enabled|supported)|are not supported|unsupported (?:parameter|value|role|content)|\btools\b.{0,60}(?:array too long|too many|at most \d)|too many (?:tools|functions)|unrecognized request argument|unknown (?:parameter|field|name)|extra inputs are not permitted|image input/i;

const noModel =
  /model_not_found|deploymentnotfound|model.{0,120}(?:not found|does not exist|not exist|not available|not loaded)|no such model|unknown model|invalid model|not a valid model|no endpoints found for/i;

const outOfCredit =
  /insufficient[_ ](?:quota|balance|credit|funds)|billing|(?:current )?quota exceeded|exceeded your current quota|out of (?:budget|credit)|usage limit reached|available balance|can only afford/i;

const tooFast = /throttl|rate[_ -]?limit|too many requests|too many tokens, please wait|overloaded|resource_exhausted/i;

const contentPolicy =
  /content[_ ](?:policy|filter)|content (?:management|filtering) policy|output blocked|moderation|flagged (?:as|by|for)|responsible ?ai/i;

const noAccess =
  /(?:invalid|incorrect|missing|no|wrong)[_ ](?:x-)?api[-_ ]?key|api[-_ ]key[-_ ](?:not valid|invalid)|unauthori[sz]ed|invalid[_ ]authentication|authentication[_ ](?:failed|error)|access denied|permission[_ ]denied/i;

/**
 * First match wins. A rule with both a status and a text needs both; texts come before statuses that many faults share.
 */
const rules: readonly Rule[] = [
  { code: 'unauthenticated', status: [401] },
  { code: 'quota', status: [402] },
  { code: 'context-overflow', status: [413] },
  // The server could not read the calls that the model wrote; the text that it quotes is arbitrary.
  { code: 'malformed-reply', text: /tool_use_failed|failed_generation/ },
  { code: 'rate-limited', text: /per[ _-]?(?:second|minute)|(?:retry|try again) in \d/i, status: [429, 529] },
  { code: 'quota', text: outOfCredit },
  { code: 'rate-limited', text: tooFast },
  { code: 'rate-limited', status: [429, 529] },
  { code: 'context-overflow', text: overflow },
  { code: 'malformed-history', text: brokenHistory },
  { code: 'refused', text: contentPolicy, status: [400, 403, 422, 451, 500] },
  { code: 'unsupported', text: noSupport, status: [400, 404, 405, 422, 500, 501] },
  { code: 'unknown-model', text: noModel },
  { code: 'unknown-model', status: [404] },
  { code: 'unauthenticated', text: noAccess },
  { code: 'unauthenticated', status: [403] },
  { code: 'timeout', status: [408, 504, 524] },
  { code: 'unavailable', status: [409, 425] },
];

/** Returns the error code for an error response. */
export function errorCodeOf({ status, text }: ProviderError): LlmErrorCode {
  const start = text.slice(0, 4000);
  const rule = rules.find((each) => matches(each, status, start));
  if (rule) return rule.code;
  if (status !== undefined) return status >= 500 ? 'unavailable' : 'bad-request';
  return badRequest.test(start) ? errorCodeOf({ status: 400, text: start }) : 'unavailable';
}

/** Wordings of errors in a 200 response, which have no status, for requests that fail again. */
const badRequest =
  /invalid[_ ]request|bad[_ ]request|unexpected endpoint|invalid[_ ](?:argument|parameter)|not supported/i;

function matches(rule: Rule, status: number | undefined, text: string): boolean {
  const statusFits = !rule.status || (status !== undefined && rule.status.includes(status));
  return statusFits && (!rule.text || rule.text.test(text));
}
