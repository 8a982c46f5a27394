import type { Json } from '@varve/events';
import { LlmError } from '../error.ts';
import { isLoopback } from '../is-loopback.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelParameters, ModelRequest } from '../model-request.ts';
import { apiRoot } from './api-root.ts';
import { callWatch, type CallWatchOptions } from './call-watch.ts';
import { failures, type Failures } from './failures.ts';
import { replyOf, type ReplySettings } from './from-wire.ts';
import { readAnswer } from './read-answer.ts';
import { toWire, type WireSettings } from './to-wire.ts';
import { transport, type Transport } from './transport.ts';

/** Which model of which server is asked, and how. */
export interface OpenAiChatOptions {
  /** The name that the provider knows. */
  readonly model: string;
  /** May be missing for servers that want none. Goes nowhere but into the request's header. */
  readonly apiKey?: string;
  /** Where `/chat/completions` is; OpenAI's own service when absent. `/v1` is added to a bare host. */
  readonly baseUrl?: string;
  /** Sent with every request; they win over the headers of this adapter. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Longest duration of one call. 15 minutes when absent; Node's own `fetch` waits at most 5 minutes for the first byte. */
  readonly timeoutMs?: number;
  /** Longest silence within a stream. 2 minutes when absent, 5 for servers on this machine, which load models first. */
  readonly idleTimeoutMs?: number;
  /** Used where a request sets nothing. */
  readonly parameters?: ModelParameters;
  /** Always or never stream; when absent, stream for callers that take deltas. */
  readonly stream?: boolean;
  /** Whether the model takes images; when false, which is the default, a note stands in their place. */
  readonly vision?: boolean;
  /** Tokens of prompt and reply together, when known. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Sends the requests: for proxies, client certificates and tests. */
  readonly fetch?: typeof globalThis.fetch;
}

const openAi = 'https://api.openai.com/v1';

/** Node fires timers beyond 2^31 ms at once; three weeks stand for "never". */
const longestTimerMs = 2_000_000_000;

/**
 * Any server that speaks the OpenAI chat completions protocol. Sends each request once: wrap it in `retry`. Reads nothing
 * from the environment and follows no redirect.
 *
 * @throws {LlmError} `bad-request` for an address that is none, `unauthenticated` for a key that no header can carry.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function openaiChat(options: OpenAiChatOptions): LanguageModel {
  const { model, vision = false, stream, contextWindow, maxOutputTokens } = options;
  const root = apiRoot(options.baseUrl ?? openAi);
  const line = lineTo(root, options);
  return {
    name: model,
    spec: specOf(options, root),
    capabilities: {
      functionCalling: true,
      vision,
      streaming: stream !== false,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    generate: (request, generateOptions = {}) => generate(line, request, generateOptions),
  };
}

/** What all calls of one model share. */
interface Line {
  readonly wire: Omit<WireSettings, 'stream'>;
  readonly reply: ReplySettings;
  readonly watch: Omit<CallWatchOptions, 'signal'>;
  readonly stream: boolean | undefined;
  readonly failures: Failures;
  readonly post: Transport;
}

function lineTo(root: string, options: OpenAiChatOptions): Line {
  const { model, vision = false, contextWindow, parameters, stream } = options;
  const timeoutMs = Math.min(options.timeoutMs ?? 900_000, longestTimerMs);
  const idleTimeoutMs = Math.min(options.idleTimeoutMs ?? (isLoopback(root) ? 300_000 : 120_000), longestTimerMs);
  const headers = requestHeaders(options);
  const address = `${model} at ${root}`;
  const described = failures(address, secretsIn(headers));
  const fetch = options.fetch ?? globalThis.fetch;
  const host = new URL(root).hostname === 'api.openai.com' ? 'openai' : 'other';
  return {
    wire: { model, vision, host, cache: new WeakMap(), ...(parameters && { parameters }) },
    reply: { model, ...(contextWindow !== undefined && { contextWindow }) },
    watch: { timeoutMs, idleTimeoutMs, address },
    stream,
    failures: described,
    // The client's own time limit must not come before the one that names the address.
    post: transport({ root, headers, timeoutMs: timeoutMs + 60_000, fetch, failures: described }),
  };
}

async function generate(line: Line, request: ModelRequest, { signal, onDelta }: GenerateOptions): Promise<ModelReply> {
  using watch = callWatch({ ...line.watch, signal });
  const began = performance.now();
  const stream = line.stream ?? onDelta !== undefined;
  try {
    watch.check();
    const response = await line.post(toWire(request, { ...line.wire, stream }), watch.signal);
    const answer = await readAnswer(response, { watch, failures: line.failures, onDelta });
    watch.check();
    const reply = replyOf(answer, line.reply);
    return { ...reply, latencyMs: Math.round(performance.now() - began), attempts: 1 };
  } catch (error) {
    watch.check();
    throw error;
  }
}

/** Headers are left out: some providers take their key in one. */
function specOf(
  { apiKey: _key, headers: _headers, fetch: _fetch, parameters, ...plain }: OpenAiChatOptions,
  root: string,
): Json {
  return { kind: 'openai-chat', ...plain, baseUrl: root, ...(parameters && { parameters: { ...parameters } }) };
}

/** Servers that want no key still want some. */
function requestHeaders({ apiKey = '', headers }: OpenAiChatOptions): Readonly<Record<string, string>> {
  const key = apiKey.trim() || 'none';
  if (!/^[\x21-\x7E]+$/.test(key)) {
    throw new LlmError('unauthenticated', 'The API key holds a character that no HTTP header can carry.');
  }
  const merged = new Headers({
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'varve',
    authorization: `Bearer ${key}`,
  });
  for (const [name, value] of Object.entries(headers ?? {})) merged.set(name, value);
  return Object.fromEntries(merged);
}

function secretsIn(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    /auth|key|token|secret|cookie/i.test(name) && value !== 'Bearer none' ? [value.replace(/^bearer /i, '')] : [],
  );
}
