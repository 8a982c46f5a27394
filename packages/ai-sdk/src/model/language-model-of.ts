import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { textOf, type Json } from '@varve/events';
import { LlmError, type GenerateOptions, type LanguageModel, type ModelReply } from '@varve/llm';
import { withoutUndefined } from '@varve/text';
import { requestOf } from './request-of.ts';

type Generate = (onDelta?: GenerateOptions['onDelta']) => Promise<LanguageModelV4GenerateResult>;

/**
 * Returns a varve model as a language model of the AI SDK: `generateText({ model: languageModelOf(model), … })`. The
 * message of a reply is part of its metadata, so that opaque data of its provider comes back with it.
 */
export function languageModelOf(model: LanguageModel): LanguageModelV4 {
  const generate =
    (options: LanguageModelV4CallOptions): Generate =>
    async (onDelta) => {
      try {
        const signal = options.abortSignal;
        return resultOf(await model.generate(requestOf(options), withoutUndefined({ signal, onDelta })));
      } catch (error) {
        throw await errorOf(error, model.name);
      }
    };
  return {
    specificationVersion: 'v4',
    provider: 'varve',
    modelId: model.name,
    supportedUrls: { 'image/*': [/^https?:/] },
    doGenerate: async (options) => generate(options)(),
    doStream: async (options) => ({ stream: await streamOf(generate(options)) }),
  };
}

/** Resolves with the first piece, because the AI SDK repeats a call that fails before. */
async function streamOf(generate: Generate): Promise<ReadableStream<LanguageModelV4StreamPart>> {
  const begun = Promise.withResolvers<void>();
  let isOpen = true;
  const stream = new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      const add = (part: LanguageModelV4StreamPart): void => void (isOpen && controller.enqueue(part));
      const reply = addReply(generate, { add, begin: begun.resolve });
      void reply.then(begun.resolve, begun.reject).finally(() => isOpen && controller.close());
    },
    cancel: () => void (isOpen = false),
  });
  await begun.promise;
  return stream;
}

/** Content has the id of its kind, of which a varve message has one each. */
async function addReply(
  generate: Generate,
  { add, begin }: { readonly add: (part: LanguageModelV4StreamPart) => void; readonly begin: () => void },
): Promise<void> {
  const shown = new Set<string>();
  const addPiece = (type: 'text' | 'reasoning', delta: string): void => {
    if (!shown.has(type)) add({ type: `${type}-start`, id: type });
    shown.add(type);
    add({ type: `${type}-delta`, id: type, delta });
    begin();
  };
  try {
    const { content, response, finishReason, usage } = await generate((delta) => {
      if (delta.kind === 'text' || delta.kind === 'reasoning') addPiece(delta.kind, delta.text);
      // A stream cannot take its pieces back.
      if (delta.kind === 'reset' && shown.size > 0) add({ type: 'error', error: new Error(delta.reason) });
    });
    for (const part of content) {
      if (part.type !== 'text' && part.type !== 'reasoning') add(part);
      else {
        if (!shown.has(part.type)) addPiece(part.type, part.text);
        add({
          type: `${part.type}-end`,
          id: part.type,
          ...withoutUndefined({ providerMetadata: part.providerMetadata }),
        });
      }
    }
    add({ type: 'response-metadata', ...response });
    add({ type: 'finish', finishReason, usage });
  } catch (error) {
    if (shown.size === 0) throw error;
    add({ type: 'error', error });
  }
}

function resultOf({ id, model, message, finish, usage, costUsd }: ModelReply): LanguageModelV4GenerateResult {
  const { reasoning_content: reasoning = '', content, tool_calls: calls = [] } = message;
  const written = textOf(content);
  // JSON, as every message.
  const metadata = { providerMetadata: { varve: { message: message as unknown as Record<string, Json> } } };
  const [first, ...rest]: readonly LanguageModelV4Content[] = [
    ...(reasoning === '' ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(written === '' ? [] : [{ type: 'text', text: written } as const]),
    ...calls.map(
      (call) => ({ type: 'tool-call', toolCallId: call.id, toolName: call.name, input: call.arguments }) as const,
    ),
  ];
  const unified = finish === 'unread-calls' || finish === 'unknown' ? 'other' : finish;
  return {
    content: first ? [{ ...first, ...metadata }, ...rest] : [],
    finishReason: { unified, raw: finish },
    usage: {
      inputTokens: {
        total: usage?.input_tokens,
        noCache: usage && usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens,
        cacheRead: usage?.cache_read_tokens,
        cacheWrite: usage?.cache_write_tokens,
      },
      outputTokens: {
        total: usage?.output_tokens,
        text: usage && usage.output_tokens - usage.reasoning_tokens,
        reasoning: usage?.reasoning_tokens,
      },
      ...(costUsd !== undefined && { raw: { cost: costUsd } }),
    },
    response: { id, modelId: model },
    warnings: [],
  };
}

/** Returns the error of the AI SDK for one of a model: what may be repeated is known by its class. */
async function errorOf(error: unknown, url: string): Promise<unknown> {
  if (!(error instanceof LlmError)) return error;
  if (error.code === 'aborted') return error.cause ?? error;
  const { APICallError } = await import('@ai-sdk/provider');
  const { message, isRetryable, status: statusCode, retryAfterMs } = error;
  return new APICallError({
    message,
    url,
    requestBodyValues: {},
    isRetryable,
    cause: error,
    ...(statusCode !== undefined && { statusCode }),
    ...(retryAfterMs !== undefined && { responseHeaders: { 'retry-after-ms': String(retryAfterMs) } }),
  });
}
