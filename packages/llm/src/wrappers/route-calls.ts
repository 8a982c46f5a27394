import { attemptLedger } from '../attempt-ledger.ts';
import type { Capabilities } from '../capabilities.ts';
import { LlmError, type LlmErrorCode } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { trackDeltas } from '../track-deltas.ts';
import { estimateRequest } from '../estimate-request.ts';

/** Notice before the request is sent to the next model. */
export interface FallbackNotice {
  /** Names of models. */
  readonly from: string;
  readonly to: string;
  readonly error: LlmError;
}

/** Options of {@link routeCalls}. */
export interface RouteOptions {
  /** Failures after which the next model is tried; by default those that another provider may not have. */
  readonly fallbackOn?: readonly LlmErrorCode[];
  /** Must not throw. */
  readonly onFallback?: (notice: FallbackNotice) => void;
}

const defaultFallbackCodes: readonly LlmErrorCode[] = [
  'rate-limited',
  'unavailable',
  'timeout',
  'malformed-reply',
  'empty',
  'quota',
];

/**
 * Combines several models, in the order of preference. Each request is sent to the first model that supports it (tools,
 * images, and length where known) and, after a failure, to the next; every call starts with the first. When all fail,
 * the error of the first is thrown. An incomplete reply is discarded with a `reset` delta.
 *
 * The combined model has the capabilities of any of its models; its context window is the largest, when all are known.
 * The reply names the model that answered.
 */
export function routeCalls(
  models: readonly [LanguageModel, ...(readonly LanguageModel[])],
  options: RouteOptions = {},
): LanguageModel {
  const [first] = models;
  return {
    name: first.name,
    spec: {
      kind: 'routed',
      models: models.map(({ spec }) => spec),
      ...(options.fallbackOn && { fallbackOn: options.fallbackOn }),
    },
    capabilities: combinedCapabilities(models.map(({ capabilities }) => capabilities)),
    generate: (request, generateOptions = {}) =>
      tryAll(routeOf(models, request), { request, options, generateOptions }),
  };
}

interface Route {
  readonly request: ModelRequest;
  readonly options: RouteOptions;
  readonly generateOptions: GenerateOptions;
}

async function tryAll(
  models: readonly LanguageModel[],
  { request, options, generateOptions }: Route,
): Promise<ModelReply> {
  const { fallbackOn = defaultFallbackCodes, onFallback } = options;
  let firstError: LlmError | undefined;
  const ledger = attemptLedger();
  for (const [index, model] of models.entries()) {
    const tracker = trackDeltas(generateOptions.onDelta);
    try {
      const reply = await model.generate(request, {
        ...generateOptions,
        ...(tracker.onDelta && { onDelta: tracker.onDelta }),
      });
      return ledger.reply({ ...reply, attempts: reply.attempts + index });
    } catch (error) {
      if (!(error instanceof LlmError) || error.code === 'aborted') throw ledger.failure(error);
      ledger.note(error);
      firstError ??= error.with({ failedAttempts: [] });
      const next = models[index + 1];
      if (!next || !fallbackOn.includes(error.code)) throw ledger.failure(firstError);
      tracker.reset(error.message);
      onFallback?.({ from: model.name, to: next.name, error });
    }
  }
  throw firstError ?? new LlmError('unsupported', 'No model of this route supports the request.');
}

/** Returns the models that support a request; all of them when none does. */
function routeOf(models: readonly LanguageModel[], request: ModelRequest): readonly LanguageModel[] {
  const needs = needsOf(request);
  const able = models.filter(({ capabilities }) => supportsNeeds(capabilities, needs));
  return able.length > 0 ? able : models;
}

interface Needs {
  readonly tools: boolean;
  readonly images: boolean;
  /** Computed only when a context window is known: it reads the whole request. */
  readonly tokens: () => number;
}

function needsOf(request: ModelRequest): Needs {
  let tokens: number | undefined;
  return {
    tools: request.tools.length > 0,
    images: request.messages.some(({ content }) => content.some(({ type }) => type === 'image')),
    tokens: () => (tokens ??= estimateRequest(request)),
  };
}

function supportsNeeds({ functionCalling, vision, contextWindow }: Capabilities, needs: Needs): boolean {
  if ((needs.tools && !functionCalling) || (needs.images && !vision)) return false;
  return contextWindow === undefined || needs.tokens() <= contextWindow;
}

function combinedCapabilities(all: readonly Capabilities[]): Capabilities {
  const windows = all.flatMap(({ contextWindow }) => contextWindow ?? []);
  return {
    functionCalling: all.some(({ functionCalling }) => functionCalling),
    vision: all.some(({ vision }) => vision),
    streaming: all.every(({ streaming }) => streaming),
    ...(windows.length === all.length && { contextWindow: Math.max(...windows) }),
  };
}
