import { unknownDialect, type Dialect } from './dialect.ts';

/** Quirks of a server, of a model, or of a model at a server: a rule with both patterns needs both to match. */
interface DialectRule {
  /** Matched against `host:port` of the address. */
  readonly host?: RegExp;
  /**
   * Matched against the model's name in lower case, without a maker before the last slash and a variant after a colon.
   */
  readonly model?: RegExp;
  readonly dialect: Partial<Dialect>;
}

const openAi = /^api\.openai\.com(?::|$)/;
const azure = /\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)(?::|$)/;

/**
 * Rules from the documentation of providers and from reports of their users, one row per quirk. Later rules override
 * earlier ones, so models follow servers. `dialect-rules.test.ts` tests a row, `chat/golden/provider-*.json` its
 * request.
 */
const dialectRules: readonly DialectRule[] = [
  {
    host: openAi,
    dialect: {
      outputLimit: 'max_completion_tokens',
      callIds: 'plain',
      system: 'anywhere',
      cacheKey: true,
      thinkTags: 'never',
    },
  },
  {
    host: azure,
    dialect: { outputLimit: 'max_completion_tokens', callIds: 'plain', system: 'anywhere', thinkTags: 'never' },
  },
  { host: /(?:^|\.)openrouter\.ai(?::|$)/, dialect: { effort: 'reasoning', asksForCost: true } },
  {
    host: /(?:^|\.)mistral\.ai(?::|$)/,
    dialect: { callIds: 'nine', afterResults: 'assistant', resultNames: true, without: ['seed', 'stream_options'] },
  },
  { host: /(?:^|\.)googleapis\.com(?::|$)/, dialect: { schema: 'google' } },
  { host: /(?:^|\.)groq\.com(?::|$)/, dialect: { outputLimit: 'max_completion_tokens' } },
  { host: /(?:^|\.)cerebras\.ai(?::|$)/, dialect: { outputLimit: 'max_completion_tokens', sealedBack: false } },
  { host: /(?:^|\.)deepseek\.com(?::|$)/, dialect: { effort: 'thinking', reasoningBack: 'with-calls' } },
  { host: /(?:^|\.)(?:z\.ai|bigmodel\.cn)(?::|$)/, dialect: { effort: 'thinking' } },
  { host: /(?:^|\.)dashscope(?:-\w+)?\.aliyuncs\.com(?::|$)/, dialect: { effort: 'enable_thinking' } },
  // Ollama, LM Studio and llama.cpp turn schemas into grammars, which fail on unknown keywords.
  { host: /:(?:11434|1234|8080)$/, dialect: { schema: 'flat' } },
  { host: /:11434$/, dialect: { imageUrls: false, cutsPrompts: true } },
  // Anthropic's models cache marked prefixes only, and accept several system messages.
  { model: /^claude[-.]/, dialect: { cacheMarks: true, callIds: 'plain', system: 'anywhere', thinkTags: 'never' } },
  { model: /^deepseek-(?:reasoner|v3\.2|v4)/, dialect: { reasoningBack: 'with-calls' } },
  { model: /^kimi-(?:k2-thinking|k2\.[5-9]|k3)/, dialect: { reasoningBack: 'with-calls' } },
  { host: /(?:^|\.)moonshot\.(?:ai|cn)(?::|$)/, model: /^kimi-(?:k2\.6|k3)/, dialect: { imageUrls: false } },
  { model: /^kimi-k2\.5/, dialect: { without: ['temperature', 'top_p'] } },
  { model: /^minimax-m[2-9]/, dialect: { reasoningBack: 'with-calls' } },
  // Chat templates that raise an error for two adjacent messages of one role.
  { model: /^(?:gemma|mistral|mixtral|llama-?2)/, dialect: { turns: 'alternating' } },
];

/** Returns the dialect of a model at an address: the rules that match, over the defaults. `root` is an http address. */
export function dialectFor({ root, model }: { readonly root: string; readonly model: string }): Dialect {
  const { host } = new URL(root);
  const name = baseName(model);
  const matching = dialectRules.filter((rule) => (rule.host?.test(host) ?? true) && (rule.model?.test(name) ?? true));
  return Object.assign({}, unknownDialect, ...matching.map(({ dialect }) => dialect)) as Dialect;
}

/** Routers put the maker before a model's name, and a variant after it: `moonshotai/kimi-k3:free`. */
function baseName(model: string): string {
  const [name = ''] = (model.toLowerCase().split('/').at(-1) ?? '').split(':', 1);
  return name;
}
