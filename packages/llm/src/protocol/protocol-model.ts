import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@varve/events';
import { withoutUndefined } from '@varve/text';
import { attemptLedger } from '../attempt-ledger.ts';
import { adjustRequest } from '../dialects/adjust-request.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { dialectFor } from '../dialects/dialect-rules.ts';
import { workaroundFor } from '../dialects/workarounds.ts';
import { LlmError } from '../error.ts';
import { callControl } from '../http/call-control.ts';
import { requester } from '../http/requester.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest } from '../model-request.ts';
import { trackDeltas } from '../track-deltas.ts';
import { exchange, type Exchange } from './exchange.ts';
import { promptCut } from './prompt-cut.ts';
import type { Protocol, ProtocolOptions } from './protocol.ts';

/**
 * Creates a model that speaks one protocol. A request that the server rejects for its form is sent again in a form that
 * the server accepts, and the change of the dialect lasts for the life of the model; every other failure is thrown.
 *
 * @throws {LlmError} `bad-request` or `unauthenticated` for invalid options.
 */
export function protocolModel<Body extends object>(options: ProtocolOptions, protocol: Protocol<Body>): LanguageModel {
  const { model, vision = false, stream, contextWindow, maxOutputTokens } = options;
  const state = createModelState(options, protocol);
  return {
    name: model,
    spec: specOf(options, protocol.kind, state.server.root),
    capabilities: {
      functionCalling: options.functionCalling ?? true,
      vision,
      streaming: stream !== false,
      ...withoutUndefined({ contextWindow, maxOutputTokens }),
    },
    generate: (request, generateOptions = {}) => generate(state, request, generateOptions),
  };
}

/** State that all calls of one model share. */
interface ModelState<Body extends object> extends Omit<Exchange<Body>, 'wire' | 'control'> {
  isCutReported: boolean;
  /** Replaced with each change of the dialect, together with the wire forms in the old one. */
  wire: Exchange<Body>['wire'];
}

function createModelState<Body extends object>(options: ProtocolOptions, protocol: Protocol<Body>): ModelState<Body> {
  const { model, vision = false, parameters } = options;
  const server = requester(options, protocol);
  const { root } = server;
  const dialect = { ...dialectFor({ root, model }), ...options.dialect };
  const origin = `${model} at ${root}`;
  return {
    server,
    protocol,
    options,
    isCutReported: false,
    wire: { model, origin, vision, dialect, cache: new WeakMap(), ...(parameters && { parameters }) },
  };
}

async function generate<Body extends object>(
  state: ModelState<Body>,
  request: ModelRequest,
  { signal, onDelta }: GenerateOptions,
): Promise<ModelReply> {
  const { options, server } = state;
  if (options.functionCalling === false && request.tools.length > 0) {
    throw new LlmError('unsupported', `${options.model} takes no tools.`);
  }
  using control = callControl({ ...server.timeouts, signal });
  const applied = new Set<string>();
  const ledger = attemptLedger();
  let current = request;
  for (let attempts = 1; ; attempts += 1) {
    const { wire } = state;
    const deltas = trackDeltas(onDelta);
    try {
      const reply = await exchange({ ...state, wire, control }, current, deltas);
      reportPromptCut(state, current, reply.usage);
      return ledger.reply({ ...reply, attempts });
    } catch (error) {
      const workaround = control.endedBy ? undefined : workaroundFor(error, wire.dialect);
      if (!workaround || applied.has(workaround.name) || deltas.hasPieces()) throw ledger.failure(error);
      const adjusted = adjustRequest(current, workaround);
      const needsAdjustment = workaround.pairsMessages || workaround.offersCalledTools;
      if (needsAdjustment && adjusted === current) throw ledger.failure(error);
      ledger.note(error);
      applied.add(workaround.name);
      if (workaround.dialect) changeDialect(state, workaround.dialect);
      current = adjusted;
    }
  }
}

function reportPromptCut<Body extends object>(
  state: ModelState<Body>,
  request: ModelRequest,
  usage: ModelReply['usage'],
): void {
  const { onPromptCut, contextWindow } = state.options;
  if (!onPromptCut || state.isCutReported) return;
  const cut = promptCut(request, { usage, contextWindow, cutsPrompts: state.wire.dialect.cutsPrompts });
  state.isCutReported = cut !== undefined;
  if (cut) onPromptCut(cut);
}

/** A concurrent call may have changed other fields, so `change` is applied to the current dialect. */
function changeDialect<Body extends object>(state: ModelState<Body>, change: Partial<Dialect>): void {
  const before = state.wire.dialect;
  const without = [...new Set([...before.without, ...(change.without ?? [])])];
  const dialect = { ...before, ...change, without };
  if (isDeepStrictEqual(dialect, before)) return;
  state.wire = { ...state.wire, dialect, cache: new WeakMap() };
  state.options.onDialectChange?.(change);
}

/**
 * The values of headers are left out because some providers take their key in one, and functions and clients because
 * they are not JSON. What is left out is named, so that the model is not rebuilt without it.
 */
function specOf(options: ProtocolOptions, kind: string, root: string): Json {
  const { apiKey: _key, headers, fetch: _fetch, client, ...rest } = options;
  const { onDialectChange: _onChange, onPromptCut: _onCut, parameters, dialect, ...plain } = rest;
  return {
    kind,
    ...plain,
    baseUrl: root,
    ...(headers && Object.keys(headers).length > 0 && { headers: Object.keys(headers) }),
    ...(client && { client: 'application' }),
    ...(parameters && { parameters: { ...parameters } }),
    ...(dialect && { dialect: { ...dialect, ...(dialect.without && { without: [...dialect.without] }) } }),
  };
}
