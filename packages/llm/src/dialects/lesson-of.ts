import { LlmError } from '../error.ts';
import { schemaLevels, type Dialect, type DroppedParameter } from './dialect.ts';

/** What a rejection teaches about a server. */
export interface ProviderWorkaround {
  /** The same for the same lesson; one request learns each at most once. */
  readonly name: string;
  /** What to change in the dialect; absent when only this request must change. */
  readonly dialect?: Partial<Dialect>;
  /** The output limit that this request can afford. */
  readonly maxOutputTokens?: number;
  /** Whether the calls and results of this request must be paired anew. */
  readonly pairsMessages?: boolean;
  /** Whether the tools that this request's history calls must be offered. */
  readonly offersCalledTools?: boolean;
}

/** Statuses under which servers reject a request for its form; some raise an error of their template engine as 500. */
const rejectionStatuses = new Set([400, 404, 405, 415, 422, 500, 501]);

/** Failures that a different form of the same request does not cure. */
const unaffectedCodes = new Set([
  'context-overflow',
  'unauthenticated',
  'refused',
  'rate-limited',
  'aborted',
  'unknown-model',
]);

/** Fewer tokens are not worth asking for. */
const minAffordableTokens = 1024;

/** What an error teaches, said of a request that was written in a dialect; undefined when it teaches nothing. */
export function workaroundFor(error: unknown, dialect: Dialect): ProviderWorkaround | undefined {
  if (!(error instanceof LlmError)) return undefined;
  if (error.code === 'quota') return affordable(error.message);
  const isRejection = error.status === undefined ? error.code === 'unsupported' : rejectionStatuses.has(error.status);
  if (!isRejection || unaffectedCodes.has(error.code)) return undefined;
  const said = error.message.replace(/^.*?(?:answered \d+|reported an error):? /s, '');
  for (const { text, workaround: learn } of rules) {
    const found = text.exec(said);
    const lesson = found && learn(dialect, (found[1] ?? found[2] ?? '').toLowerCase());
    if (lesson) return lesson;
  }
  return error.code === 'malformed-history' ? { name: 'pairs', pairsMessages: true } : undefined;
}

function affordable(said: string): ProviderWorkaround | undefined {
  const tokens = Number(/can only afford (\d+)/i.exec(said)?.[1] ?? 0);
  return tokens >= minAffordableTokens ? { name: 'affordable', maxOutputTokens: tokens } : undefined;
}

interface Rule {
  readonly text: RegExp;
  /** `word` is what the rule's group holds, in lower case. Undefined when the dialect says so already. */
  readonly workaround: (dialect: Dialect, word: string) => ProviderWorkaround | undefined;
}

/** How servers say that they will not take something. */
const no = String.raw`(?:not (?:be )?(?:supported|permitted|allowed|accepted|implemented)|unsupported|unknown|unrecogni[sz]ed|unexpected|extra (?:inputs|fields)|extra_forbidden|do(?:es)?(?:n't| not) support|only \S+ is allowed|deprecated)`;

/** A group holds what is rejected, named after or before the words that reject it. */
function rejectionOf(what: string): RegExp {
  return new RegExp(`${no}.{0,80}?\\b(${what})\\b|\\b(${what})\\b.{0,80}?${no}`, 'is');
}

function sets<Key extends keyof Dialect>(key: Key, value: Dialect[Key]): Rule['workaround'] {
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

/** Takes one more parameter out of requests. */
function drops(parameterOf: (word: string) => DroppedParameter): Rule['workaround'] {
  return ({ without }, word) => {
    const parameter = parameterOf(word);
    if (without.includes(parameter)) return undefined;
    return { name: `without ${parameter}`, dialect: { without: [...without, parameter] } };
  };
}

const tools = String.raw`\b(?:tools?|functions?|parameters|function_declarations)\b`;
const keyword = String.raw`(?:schema|\$ref|anyof|additionalproperties|exclusiveminimum)`;

/** First match wins, so what names something precisely comes before what any rejection might say. */
const rules: readonly Rule[] = [
  {
    text: /\btools=?[`'"]? param.{0,40}when using tool calling|must define tools|toolconfig field must be defined/is,
    workaround: () => ({ name: 'tools', offersCalledTools: true }),
  },
  {
    text: rejectionOf('max_tokens|max_completion_tokens'),
    workaround: ({ outputLimit }) =>
      outputLimit === 'none'
        ? undefined
        : {
            name: 'outputLimit',
            dialect: { outputLimit: outputLimit === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens' },
          },
  },
  { text: /temperature.{0,60}top_p.{0,60}both|both.{0,20}temperature.{0,20}top_p/is, workaround: drops(() => 'top_p') },
  {
    text: rejectionOf(Object.keys(droppedParameters).join('|')),
    workaround: drops((word) => droppedParameters[word] ?? 'effort'),
  },
  { text: rejectionOf('stream(?:ing)?(?: mode)?'), workaround: sets('streams', false) },
  { text: rejectionOf('prompt_cache_key'), workaround: sets('cacheKey', false) },
  {
    text: /reasoning_content.{0,80}(?:required|must be|missing)|missing.{0,40}reasoning_content/is,
    workaround: ({ reasoningBack }) => {
      const more = reasoningBack === 'never' ? 'with-calls' : 'always';
      return reasoningBack === 'always' ? undefined : { name: `reasoning ${more}`, dialect: { reasoningBack: more } };
    },
  },
  { text: rejectionOf('reasoning_content'), workaround: sets('reasoningBack', 'never') },
  { text: rejectionOf('reasoning_details|thinking_blocks|extra_content'), workaround: sets('sealedBack', false) },
  { text: /encrypted[_ ]content/is, workaround: sets('sealedBack', false) },
  { text: /invalid.{0,20}signature|signature.{0,40}(?:invalid|not valid)/is, workaround: sets('sealedBack', false) },
  { text: rejectionOf('cache_control'), workaround: sets('cacheMarks', false) },
  // A prefix that is too short to be kept; it grows, but marking it then would cost a rejection each time.
  { text: /minimum token count|cached content is too small/is, workaround: sets('cacheMarks', false) },
  { text: rejectionOf('image_url|image input|images|multimodal|vision'), workaround: sets('images', false) },
  {
    text: /content.{0,80}(?:expected (?:a )?string|must be a string|valid string|expected str)/is,
    workaround: sets('parts', false),
  },
  {
    text: /content.{0,60}(?:not be null|cannot be null|non-?null|is required|must not be empty)|null.{0,40}content/is,
    workaround: sets('emptyContent', 'text'),
  },
  { text: /must alternate|roles? (?:should|must).{0,20}alternat/is, workaround: sets('turns', 'alternating') },
  {
    text: /system (?:message|role).{0,60}(?:first|beginning|start)|(?:only|more than) one system/is,
    workaround: sets('system', 'first'),
  },
  { text: /role '?user'? after role '?tool/is, workaround: sets('afterResults', 'assistant') },
  { text: /tool call id.{0,80}length of 9/is, workaround: sets('callIds', 'nine') },
  {
    text: /(?:tool_use|tool_calls?(?:\[\d+\])?|tool_result)[._]?(?:tool_use_|tool_call_)?id\b.{0,80}(?:pattern|too long|maximum length)/is,
    workaround: sets('callIds', 'plain'),
  },
  {
    text: new RegExp(`${tools}.{0,160}${keyword}|${keyword}.{0,160}${tools}|grammar`, 'is'),
    workaround: ({ schema }) => {
      const next = schemaLevels[schemaLevels.indexOf(schema) + 1];
      return next && { name: `schema ${next}`, dialect: { schema: next } };
    },
  },
];
