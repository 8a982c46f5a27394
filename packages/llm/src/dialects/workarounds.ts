import { LlmError } from '../error.ts';
import { schemaLevels, type Dialect, type DroppedParameter } from './dialect.ts';

/** Change that lets a rejected request succeed when it is sent again. */
export interface ProviderWorkaround {
  /** Identifies the workaround: each is applied at most once per call. */
  readonly name: string;
  /** Change of the dialect; absent when only this request must change. */
  readonly dialect?: Partial<Dialect>;
  /** Output limit that the remaining credit allows. */
  readonly maxOutputTokens?: number;
  /** True when the calls and results of this request must be paired again. */
  readonly pairsMessages?: boolean;
  /** True when the tools that this request's history calls must be offered. */
  readonly offersCalledTools?: boolean;
}

/**
 * Statuses of requests that are rejected for their form; some servers report an error of their template engine as 500.
 */
const rejectionStatuses = new Set([400, 404, 405, 415, 422, 500, 501]);

/** Failures that another form of the same request cannot avoid. */
const unaffectedCodes = new Set([
  'context-overflow',
  'unauthenticated',
  'refused',
  'rate-limited',
  'aborted',
  'unknown-model',
]);

/** Smaller output limits are too short for a useful reply. */
const minAffordableTokens = 1024;

/** Returns the workaround for an error of a request in this dialect; undefined for any other error. */
export function workaroundFor(error: unknown, dialect: Dialect): ProviderWorkaround | undefined {
  if (!(error instanceof LlmError)) return undefined;
  if (error.code === 'quota') return affordableOutput(error.message);
  const isRejection = error.status === undefined ? error.code === 'unsupported' : rejectionStatuses.has(error.status);
  if (!isRejection || unaffectedCodes.has(error.code)) return undefined;
  const problem = error.message.replace(/^.*?(?:answered \d+|reported an error):? /s, '');
  for (const { pattern, apply } of rules) {
    const match = pattern.exec(problem);
    const workaround = match && apply(dialect, (match[1] ?? match[2] ?? '').toLowerCase());
    if (workaround) return workaround;
  }
  return error.code === 'malformed-history' ? { name: 'pairs', pairsMessages: true } : undefined;
}

function affordableOutput(message: string): ProviderWorkaround | undefined {
  const tokens = Number(/can only afford (\d+)/i.exec(message)?.[1] ?? 0);
  return tokens >= minAffordableTokens ? { name: 'affordable', maxOutputTokens: tokens } : undefined;
}

interface Rule {
  readonly pattern: RegExp;
  /**
   * `word` is the match of the pattern's group, in lower case. Returns undefined when the dialect has the change
   * already.
   */
  readonly apply: (dialect: Dialect, word: string) => ProviderWorkaround | undefined;
}

/** Wordings of a rejection. */
const rejectionWords = String.raw`(?:not (?:be )?(?:supported|permitted|allowed|accepted|implemented)|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|extra_forbidden|do(?:es)?(?:n't| not) support|only \S+ is allowed|deprecated)`;

/** Matches the rejection of a field, named after or before the rejecting words. The field is the pattern's group. */
function rejectionOf(field: string): RegExp {
  return new RegExp(`${rejectionWords}.{0,80}?\\b(${field})\\b|\\b(${field})\\b.{0,80}?${rejectionWords}`, 'is');
}

function setField<Key extends keyof Dialect>(key: Key, value: Dialect[Key]): Rule['apply'] {
  return (dialect) => (dialect[key] === value ? undefined : { name: key, dialect: { [key]: value } });
}

const droppedParameters: Readonly<Record<string, DroppedParameter>> = {
  temperature: 'temperature',
  top_p: 'top_p',
  seed: 'seed',
  tool_choice: 'tool_choice',
  stream_options: 'stream_options',
  reasoning_effort: 'effort',
  enable_thinking: 'effort',
};

function dropParameter(parameterOf: (word: string) => DroppedParameter): Rule['apply'] {
  return ({ without }, word) => {
    const parameter = parameterOf(word);
    if (without.includes(parameter)) return undefined;
    return { name: `without ${parameter}`, dialect: { without: [...without, parameter] } };
  };
}

const toolWords = String.raw`\b(?:tools?|functions?|parameters|function_declarations)\b`;
const schemaKeywords = String.raw`(?:schema|\$ref|(?:any|one|all)of|additionalproperties|exclusiveminimum|\bitems\b|properties\[)`;

/**
 * One row per quirk; the first match wins, so precise patterns precede general ones. `workarounds.test.ts` has a row
 * with the text of the rejection for each.
 */
const rules: readonly Rule[] = [
  {
    pattern: /\btools=?[`'"]? param.{0,40}when using tool calling|must define tools|toolconfig field must be defined/is,
    apply: () => ({ name: 'tools', offersCalledTools: true }),
  },
  {
    pattern: rejectionOf('max_tokens|max_completion_tokens'),
    apply: ({ outputLimit }) =>
      outputLimit === 'none'
        ? undefined
        : {
            name: 'outputLimit',
            dialect: { outputLimit: outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' },
          },
  },
  {
    pattern: /temperature.{0,60}top_p.{0,60}both|both.{0,20}temperature.{0,20}top_p/is,
    apply: dropParameter(() => 'top_p'),
  },
  {
    pattern: rejectionOf(Object.keys(droppedParameters).join('|')),
    apply: dropParameter((word) => droppedParameters[word] ?? 'effort'),
  },
  { pattern: rejectionOf('stream(?:ing)?(?: mode)?'), apply: setField('streams', false) },
  { pattern: rejectionOf('prompt_cache_key'), apply: setField('cacheKey', false) },
  {
    pattern: /reasoning_content.{0,80}(?:required|must be|missing)|missing.{0,40}reasoning_content/is,
    apply: ({ reasoningBack }) => {
      const more = reasoningBack === 'never' ? 'with-calls' : 'always';
      return reasoningBack === 'always' ? undefined : { name: `reasoning ${more}`, dialect: { reasoningBack: more } };
    },
  },
  { pattern: rejectionOf('reasoning_content'), apply: setField('reasoningBack', 'never') },
  { pattern: rejectionOf('reasoning_details|thinking_blocks|extra_content'), apply: setField('sealedBack', false) },
  { pattern: /encrypted[_ ]content/is, apply: setField('sealedBack', false) },
  { pattern: /invalid.{0,20}signature|signature.{0,40}(?:invalid|not valid)/is, apply: setField('sealedBack', false) },
  { pattern: rejectionOf('cache_control'), apply: setField('cacheMarks', false) },
  // The prefix is too short to be cached; it grows, but marking it again would cost a rejection each time.
  { pattern: /minimum token count|cached content is too small/is, apply: setField('cacheMarks', false) },
  {
    pattern: /content.{0,80}(?:expected (?:a )?string|must be a string|valid string|expected str)/is,
    apply: setField('parts', false),
  },
  {
    pattern:
      /content.{0,60}(?:not be null|cannot be null|non-?null|is required|must not be empty)|null.{0,40}content/is,
    apply: setField('emptyContent', 'text'),
  },
  { pattern: /must alternate|roles? (?:should|must).{0,20}alternat/is, apply: setField('turns', 'alternating') },
  {
    pattern: /system (?:message|role).{0,60}(?:first|beginning|start)|(?:only|more than) one system/is,
    apply: setField('system', 'first'),
  },
  { pattern: /role '?user'? after role '?tool/is, apply: setField('afterResults', 'assistant') },
  { pattern: /tool call id.{0,80}length of 9/is, apply: setField('callIds', 'nine') },
  {
    pattern:
      /(?:tool_use|tool_calls?(?:\[\d+\])?|tool_result)[._]?(?:tool_use_|tool_call_)?id\b.{0,80}(?:pattern|too long|maximum length)/is,
    apply: setField('callIds', 'plain'),
  },
  {
    pattern: new RegExp(`${toolWords}.{0,160}${schemaKeywords}|${schemaKeywords}.{0,160}${toolWords}|grammar`, 'is'),
    apply: ({ schema }) => {
      const next = schemaLevels[schemaLevels.indexOf(schema) + 1];
      return next && { name: `schema ${next}`, dialect: { schema: next } };
    },
  },
];
