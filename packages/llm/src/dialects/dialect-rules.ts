import type { Dialect } from './dialect.ts';

/** What is known of a server, of a model, or of a model at a server; both must match where both are given. */
export interface DialectRule {
  /** Matched against `host:port` of the address. */
  readonly host?: RegExp;
  /** Matched against the model's name in lower case, without what stands before its last slash and after its colon. */
  readonly model?: RegExp;
  readonly dialect: Partial<Dialect>;
}

const openAi = /^api\.openai\.com(?::|$)/;
const azure = /\.(?:openai\.azure\.com|services\.ai\.azure\.com|cognitiveservices\.azure\.com)(?::|$)/;

/**
 * What providers differ in, from their documentation and from what their users report. Later rules win, so models come
 * after servers.
 */
export const dialectRules: readonly DialectRule[] = [
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
  // Ollama, LM Studio and llama.cpp turn schemas into grammars that break on what they do not know.
  { host: /:(?:11434|1234|8080)$/, dialect: { schema: 'flat' } },
  { host: /:11434$/, dialect: { imageUrls: false, cutsPrompts: true } },
  // Anthropic's models cache only what is marked, and take several system messages.
  { model: /^claude[-.]/, dialect: { cacheMarks: true, callIds: 'plain', system: 'anywhere', thinkTags: 'never' } },
  { model: /^deepseek-(?:reasoner|v3\.2|v4)/, dialect: { reasoningBack: 'with-calls' } },
  { model: /^kimi-(?:k2-thinking|k2\.[5-9]|k3)/, dialect: { reasoningBack: 'with-calls' } },
  { host: /(?:^|\.)moonshot\.(?:ai|cn)(?::|$)/, model: /^kimi-(?:k2\.6|k3)/, dialect: { imageUrls: false } },
  { model: /^kimi-k2\.5/, dialect: { without: ['temperature', 'top_p'] } },
  { model: /^minimax-m[2-9]/, dialect: { reasoningBack: 'with-calls' } },
  // Chat templates that raise an error on two turns of the same speaker.
  { model: /^(?:gemma|mistral|mixtral|llama-?2)/, dialect: { turns: 'alternating' } },
];
