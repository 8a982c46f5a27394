import type {
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { Json } from '@varve/events';
import {
  dialectFor,
  providers,
  type Dialect,
  type GenerateOptions,
  type LanguageModel,
  type ModelParameters,
  type ModelReply,
  type ModelRequest,
} from '@varve/llm';
import {
  callControl,
  originalNameDeltas,
  serverErrors,
  toolNameLookup,
  toWire,
  withOriginalNames,
  type CallControl,
  type ServerErrors,
} from '@varve/llm/kit';
import { withoutUndefined } from '@varve/text';
import { ContentAssembly } from './content-assembly.ts';
import { failureOf } from './failure.ts';
import { promptOf } from './prompt.ts';

/** Options of {@link aiSdkModel}. */
export interface AiSdkModelOptions {
  /** Defaults for parameters that a request leaves out. */
  readonly parameters?: ModelParameters;
  /** Options of the provider, by its name, for each call. */
  readonly providerOptions?: NonNullable<LanguageModelV4CallOptions['providerOptions']>;
  /** False for a model that sees no images; a note takes their place. Default true. */
  readonly vision?: boolean;
  /** Tokens of prompt and reply together, when known. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** Maximum duration of one call. 15 minutes when absent. */
  readonly timeoutMs?: number;
  /** Maximum time between two parts of a stream. 2 minutes when absent. */
  readonly idleTimeoutMs?: number;
}

type Listener = ReturnType<typeof originalNameDeltas>;

/** State that all calls of one model share. */
interface ModelState {
  readonly model: LanguageModelV4;
  readonly options: AiSdkModelOptions;
  readonly errors: ServerErrors;
  readonly dialect: Dialect;
  /** Opaque data is sent back to the same model only. */
  readonly origin: string;
}

/**
 * Creates a model of any language model of the AI SDK: `aiSdkModel(anthropic('claude-sonnet-4-5'))`. Failures are not
 * retried: wrap the model in `retry`. Reasoning, signatures and other metadata of the provider are stored with the
 * reply and sent back as they came.
 */
export function aiSdkModel(model: LanguageModelV3 | LanguageModelV4, options: AiSdkModelOptions = {}): LanguageModel {
  const { modelId, provider } = model;
  const { vision = true, contextWindow, maxOutputTokens } = options;
  const [vendor = ''] = provider.split('.');
  const origin = `${modelId} of ${vendor}`;
  const { baseUrl: root = 'https://localhost' } = providers[vendor === 'google' ? 'gemini' : vendor] ?? {};
  const known = dialectFor({ root, model: modelId });
  const dialect: Dialect = {
    ...known,
    system: 'first',
    callIds: known.callIds === 'free' ? 'plain' : known.callIds,
    cacheMarks: /claude/.test(modelId),
    reasoningBack: 'never',
    sealedBack: true,
  };
  // Only the data of files differs between the versions.
  const state = { model: model as LanguageModelV4, options, errors: serverErrors(origin, () => []), dialect, origin };
  return {
    name: modelId,
    spec: { kind: 'ai-sdk', provider: vendor, model: modelId, ...(options as Readonly<Record<string, Json>>) },
    capabilities: {
      functionCalling: true,
      vision,
      streaming: true,
      ...withoutUndefined({ contextWindow, maxOutputTokens }),
    },
    generate: (request, generateOptions = {}) => generate(state, request, generateOptions),
  };
}

async function generate(
  state: ModelState,
  request: ModelRequest,
  { signal, onDelta }: GenerateOptions,
): Promise<ModelReply> {
  const { model, options, errors, origin } = state;
  const { timeoutMs = 900_000, idleTimeoutMs = 120_000, contextWindow } = options;
  using control = callControl({ timeoutMs, idleTimeoutMs, address: origin, signal });
  control.throwIfEnded();
  const startedAt = performance.now();
  const content = new ContentAssembly(errors);
  const toolNameFor = toolNameLookup(request.tools);
  const named = onDelta && originalNameDeltas(onDelta, toolNameFor);
  try {
    const callOptions = await callOptionsOf(request, state, control);
    const { stream } = await unlessEnded(model.doStream(callOptions), control);
    await readStream(stream, content, { control, named });
    control.throwIfEnded();
    const settings = { model: model.modelId, origin, ...(contextWindow !== undefined && { contextWindow }) };
    const reply = content.reply(settings);
    const message = withOriginalNames(reply.message, toolNameFor);
    named?.end(message.tool_calls ?? []);
    control.throwIfEnded();
    return { ...reply, message, latencyMs: Math.round(performance.now() - startedAt), attempts: 1 };
  } catch (error) {
    const { partial } = content;
    const hasContent = partial.text !== '' || partial.reasoning !== '';
    const failure = control.endedBy ?? failureOf(error, { errors, hasContent });
    throw errors.redactPartial(hasContent ? failure.with({ partial }) : failure);
  }
}

/** Settles when the call ends early, too: a provider may ignore its signal. */
async function unlessEnded<Value>(work: PromiseLike<Value>, control: CallControl): Promise<Value> {
  const { signal } = control;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  control.throwIfEnded();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

async function readStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  assembly: ContentAssembly,
  { control, named }: { readonly control: CallControl; readonly named: Pick<Listener, 'push'> | undefined },
): Promise<void> {
  const reader = stream.getReader();
  control.resetIdleTimer();
  try {
    for (;;) {
      const { value, done } = await unlessEnded(reader.read(), control);
      if (done) return;
      control.resetIdleTimer();
      for (const delta of assembly.push(value)) {
        control.throwIfEnded();
        named?.push(delta);
      }
      control.throwIfEnded();
    }
  } finally {
    // The connection of a call that ended early is closed.
    reader.cancel().catch(() => undefined);
  }
}

async function callOptionsOf(
  request: ModelRequest,
  { model, options, dialect, origin }: ModelState,
  { signal }: CallControl,
): Promise<LanguageModelV4CallOptions> {
  const { vision = true, parameters, providerOptions, maxOutputTokens } = options;
  const all = { ...parameters, ...request.parameters };
  const content = {
    fetchesImages: readsImageUrls(await model.supportedUrls),
    hasPlainFiles: (model as LanguageModelV3 | LanguageModelV4).specificationVersion === 'v3',
  };
  const settings = { model: model.modelId, origin, vision, stream: false, dialect };
  const wire = toWire(request, settings);
  return {
    prompt: promptOf(wire.messages, content),
    abortSignal: signal,
    ...withoutUndefined({
      temperature: all.temperature,
      topP: all.topP,
      maxOutputTokens: all.maxOutputTokens ?? maxOutputTokens,
      reasoning: all.reasoningEffort,
      seed: all.seed,
      stopSequences: all.stop && [...all.stop],
      tools: wire.tools?.map(
        ({ function: { parameters: inputSchema, ...tool } }) => ({ type: 'function', inputSchema, ...tool }) as const,
      ),
      toolChoice: all.toolChoice && { type: all.toolChoice },
    }),
    providerOptions: { ...(request.cacheKey && { openai: { promptCacheKey: request.cacheKey } }), ...providerOptions },
  };
}

/** Returns true for a provider that fetches images from any address. */
function readsImageUrls(supported: Readonly<Record<string, readonly RegExp[]>>): boolean {
  return Object.entries(supported).some(
    ([type, addresses]) =>
      /^(?:\*|image)\//.test(type) && addresses.some((address) => address.test('https://example.com/a.png')),
  );
}
