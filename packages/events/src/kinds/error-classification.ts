import * as z from 'zod';
import { lazy } from '../lazy.ts';
import { withFallback } from '../lenient.ts';

/** Classification of a failure by possible user actions. `kind` is an ordinary field here, not a discriminator. */
export const errorClassification = lazy(() =>
  z.strictObject({
    kind: withFallback(
      z.enum(['auth', 'quota', 'rate_limit', 'config', 'transient', 'agent_action', 'internal', 'unknown']),
      'unknown',
    ),
    retryable: z.boolean(),
    user_action: withFallback(z.enum(['none', 'retry', 'settings']), 'none').default('none'),
    error_id: z.exactOptional(z.string()),
  }),
);
export type ErrorClassification = z.output<ReturnType<typeof errorClassification>>;

type Classification = Readonly<ErrorClassification>;

const auth: Classification = { kind: 'auth', retryable: false, user_action: 'settings' };
const quota: Classification = { kind: 'quota', retryable: false, user_action: 'settings' };
const config: Classification = { kind: 'config', retryable: false, user_action: 'settings' };
const rateLimit: Classification = { kind: 'rate_limit', retryable: true, user_action: 'retry' };
const transient: Classification = { kind: 'transient', retryable: true, user_action: 'retry' };
const recoverable: Classification = { kind: 'agent_action', retryable: true, user_action: 'retry' };
const limit: Classification = { kind: 'agent_action', retryable: false, user_action: 'none' };
const internal: Classification = { kind: 'internal', retryable: false, user_action: 'none' };
const unknown: Classification = { kind: 'unknown', retryable: false, user_action: 'none' };

const byCode = new Map<string, Classification>([
  ['LLMAuthenticationError', auth],
  ['ACPAuthRequired', auth],
  ['LLMRateLimitError', rateLimit],
  ['MaxBudgetReached', quota],
  ['LLMBadRequestError', config],
  ['ACPInitError', config],
  ['ACPSpawnError', config],
  ['ACPPromptError', config],
  ['NotFoundError', config],
  ['LibTmuxException', config],
  ['LLMContextWindowExceedError', recoverable],
  ['LLMMalformedConversationHistoryError', recoverable],
  ['MaxIterationsReached', limit],
  ['ConversationOwnershipLostError', limit],
  ['KeyError', internal],
  ['AssertionError', internal],
  ['PydanticSerializationError', internal],
  ['AttributeError', internal],
  ['TypeError', internal],
]);

/**
 * Patterns of a detail in order of precedence: failures that a person must fix, then failures that may be transient.
 */
const byDetail: readonly (readonly [RegExp, Classification])[] = [
  [
    /(invalid|incorrect|missing|expired) api[ _-]?key|unauthori[sz]ed|authentication|(error|status)( code)?:? 401\b/,
    auth,
  ],
  [/usage limit|insufficient (balance|credit|quota|funds)|exceeded your current quota|\bbudget\b/, quota],
  [/rate[ _-]?limit|too many requests|(error|status)( code)?:? 429\b/, rateLimit],
  [
    /model .{0,80}(not found|does not exist|not supported)|(unsupported|invalid|unknown) (parameter|model|argument)/,
    config,
  ],
  [/tim(ed?|e) ?out|connection|bad gateway|service unavailable|overloaded|(error|status)( code)?:? 5\d\d\b/, transient],
  [/\bcallback\b|duplicate tool/, internal],
];

/** Codes of wrappers, which do not describe the underlying failure. */
const genericCodes = new Set([
  'ConversationRunError',
  'LLMError',
  'LLMServiceUnavailableError',
  'RemoteError',
  'Exception',
]);

/**
 * Classifies a failure by its code, else by patterns of its detail. For `ConversationErrorEvent`s of other programs
 * that have no classification. No part of the detail is copied.
 *
 * @see software-agent-sdk classify_error (same codes and kinds, own patterns)
 */
export function classifyError(code: string, detail: string): Classification {
  const known = byCode.get(code);
  if (known) return known;
  // A detail may be the whole error page of a proxy; the message is near its start.
  const start = detail.slice(0, 4000).toLowerCase();
  const match = byDetail.find(([pattern]) => pattern.test(start));
  if (match) return match[1];
  return genericCodes.has(code) ? transient : unknown;
}
