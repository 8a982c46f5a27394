import { isDeepStrictEqual } from 'node:util';
import type { Json, Message } from '@varve/events';
import { attemptLedger } from '../attempt-ledger.ts';
import { LlmError } from '../error.ts';
import type { GenerateOptions, LanguageModel } from '../language-model.ts';
import { messageDeltas } from '../delta.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelParameters, ModelRequest } from '../model-request.ts';
import { callControl, type CallControl } from '../http/call-watch.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { dialectFor } from '../dialects/dialect-for.ts';
import type { ReplySettings, AssembledModelReply } from './from-wire.ts';
import { attachPartial, type PartialOutcome } from './heard.ts';
import { workaroundFor, type ProviderWorkaround } from '../dialects/lesson-of.ts';
import { pairMessages } from '../dialects/paired-messages.ts';
import { promptCut, type PromptCut } from './prompt-cut.ts';
import { readResponse, type ReplyAssembly } from './read-answer.ts';
import { readFailedGeneration } from './read-failed-generation.ts';
import { requester, type Requester, type ServerOptions } from '../http/requester.ts';
import type { WireSettings } from '../chat/to-wire.ts';
import { restoreDeltaNames } from './named-deltas.ts';
import { expandParallelCalls } from '../dialects/parallel-calls.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import { withCalledTools } from '../dialects/with-called-tools.ts';

/** What every protocol of this family can be told. */
export interface ProtocolOptions extends ServerOptions {
  /** Used where a request sets nothing. */
  readonly parameters?: ModelParameters;
  /** Always or never stream; when absent, stream for callers that take deltas. */
  readonly stream?: boolean;
  /** Whether the model takes images; when false, which is the default, a note stands in their place. */
  readonly vision?: boolean;
  /** Whether the model takes tools, when that is known; when false, requests with tools are `unsupported` at once. */
  readonly functionCalling?: boolean;
  /** Tokens of prompt and reply together, when known. */
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  /** What is known better than `dialectFor` and the server's rejections know it. */
  readonly dialect?: Partial<Dialect>;
  /** Told once for each thing that a rejection taught; the request was then sent again. Must not throw. */
  readonly onDialectChange?: (change: Partial<Dialect>) => void;
  /** Told once for the life of the model, when its server seems not to have read all of a prompt. Must not throw. */
  readonly onPromptCut?: (cut: PromptCut) => void;
}

/** One protocol: how a request is written and how a reply is read. */
export interface Protocol<Body> {
  readonly kind: string;
  /** Below the address, with a slash. */
  readonly path: string;
  /** As JSON, up to `bodyEnd`. */
  bytesOf(body: Body): Uint8Array;
  bodyOf(request: ModelRequest, settings: WireSettings): Body;
  /** A place for one answer to be put together in. */
  assembly(
    dialect: Dialect,
  ): ReplyAssembly & { reply(settings: ReplySettings): AssembledModelReply; heard(): PartialOutcome };
}

/**
 * A model behind one protocol. A request that is rejected for its form is sent again in a form that the server takes, and what
 * was learned holds for the life of the model; every other failure is the caller's.
 */
export function protocolModel<Body>(options: ProtocolOptions, protocol: Protocol<Body>): LanguageModel {
  const { model, vision = false, stream, contextWindow, maxOutputTokens } = options;
  const server = requester(options, protocol);
  const line = createModelState(options, { server, protocol });
  return {
    name: model,
    spec: specOf(options, protocol.kind, server.root),
    capabilities: {
      functionCalling: options.functionCalling ?? true,
      vision,
      streaming: stream !== false,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    },
    generate: (request, generateOptions = {}) => generate(line, request, generateOptions),
  };
}

/** What all calls of one model share. */
interface ModelState<Body> {
  readonly server: Requester<Body>;
  readonly protocol: Protocol<Body>;
  readonly options: ProtocolOptions;
  isCutTold: boolean;
  /** Replaced when something is learned, together with what was written in the old dialect. */
  wire: Omit<WireSettings, 'stream'> & { readonly origin: string };
}

function createModelState<Body>(
  options: ProtocolOptions,
  rest: Pick<ModelState<Body>, 'server' | 'protocol'>,
): ModelState<Body> {
  const { model, vision = false, parameters } = options;
  const origin = `${model} at ${rest.server.root}`;
  const dialect = { ...dialectFor({ root: rest.server.root, model }), ...options.dialect };
  return {
    ...rest,
    options,
    isCutTold: false,
    wire: { model, origin, vision, dialect, cache: new WeakMap(), ...(parameters && { parameters }) },
  };
}

async function generate<Body>(
  line: ModelState<Body>,
  request: ModelRequest,
  { signal, onDelta }: GenerateOptions,
): Promise<ModelReply> {
  if (line.options.functionCalling === false && request.tools.length > 0) {
    throw new LlmError('unsupported', `${line.options.model} takes no tools.`);
  }
  using watch = callControl({ ...line.server.timeouts, signal });
  const learned = new Set<string>();
  const ledger = attemptLedger();
  let asked = request;
  for (let attempts = 1; ; attempts += 1) {
    const { wire } = line;
    const handed = trackDeltas(onDelta);
    try {
      const reply = await exchange({ line, wire, watch }, asked, handed);
      return ledger.reply({ ...reply, attempts });
    } catch (error) {
      const lesson = watch.endedBy ? undefined : workaroundFor(error, wire.dialect);
      if (!lesson || learned.has(lesson.name) || handed.any()) throw ledger.failure(error);
      const mended = adjustRequest(asked, lesson);
      if ((lesson.pairsMessages || lesson.offersCalledTools) && mended === asked) throw ledger.failure(error);
      ledger.note(error);
      learned.add(lesson.name);
      if (lesson.dialect) changeDialect(line, lesson.dialect);
      asked = mended;
    }
  }
}

type OnDelta = NonNullable<GenerateOptions['onDelta']>;

/** Hands deltas on, and remembers whether there were any. */
interface DeltaTracker {
  readonly onDelta: OnDelta | undefined;
  any(): boolean;
}

function trackDeltas(onDelta: OnDelta | undefined): DeltaTracker {
  let isAny = false;
  const watched: OnDelta = (delta) => {
    isAny = true;
    onDelta?.(delta);
  };
  return { onDelta: onDelta && watched, any: () => isAny };
}

interface Call<Body> {
  readonly line: ModelState<Body>;
  readonly wire: ModelState<Body>['wire'];
  readonly watch: CallControl;
}

/** Asks once. */
async function exchange<Body>(
  { line, wire, watch }: Call<Body>,
  request: ModelRequest,
  handed: DeltaTracker,
): Promise<Omit<ModelReply, 'attempts'>> {
  const { server, protocol, options } = line;
  const { model, contextWindow } = options;
  const { onDelta } = handed;
  watch.throwIfEnded();
  const began = performance.now();
  const stream = wire.dialect.streams && (options.stream ?? onDelta !== undefined);
  const answer = protocol.assembly(wire.dialect);
  const own = toolNameLookup(request.tools);
  try {
    const response = await server.post(protocol.bodyOf(request, { ...wire, stream }), watch.signal);
    const deltas = onDelta && restoreDeltaNames(onDelta, own);
    await readResponse(response, answer, { control: watch, errors: server.errors, onDelta: deltas?.push });
    watch.throwIfEnded();
    const reply = answer.reply({ model, origin: wire.origin, ...(contextWindow !== undefined && { contextWindow }) });
    const message = restoreToolNames(reply.message, own);
    deltas?.end(message.tool_calls ?? []);
    watch.throwIfEnded();
    reportPromptCut(line, request, reply.usage);
    return { ...reply, message, latencyMs: Math.round(performance.now() - began) };
  } catch (error) {
    const heard = answer.heard();
    const saved = watch.endedBy || handed.any() ? undefined : readFailedGeneration(error, request, model);
    if (!saved) {
      const failure = watch.endedBy ?? (error instanceof LlmError ? server.errors.redactPartial(error) : error);
      throw attachPartial(failure, heard, model);
    }
    emitWholeReply(saved.message, { watch, onDelta });
    const { text: _text, reasoning: _reasoning, ...spent } = heard;
    return { ...saved, ...spent, latencyMs: Math.round(performance.now() - began) };
  }
}

/** A callback may abort the call. */
function emitWholeReply(
  message: Message,
  { watch, onDelta }: Pick<Call<never>, 'watch'> & Pick<DeltaTracker, 'onDelta'>,
): void {
  for (const delta of onDelta ? messageDeltas(message) : []) {
    watch.throwIfEnded();
    onDelta?.(delta);
  }
  watch.throwIfEnded();
}

function reportPromptCut<Body>(line: ModelState<Body>, request: ModelRequest, usage: ModelReply['usage']): void {
  const { onPromptCut, contextWindow } = line.options;
  if (!onPromptCut || line.isCutTold) return;
  const cut = promptCut(request, { usage, contextWindow, cutsPrompts: line.wire.dialect.cutsPrompts });
  line.isCutTold = cut !== undefined;
  if (cut) onPromptCut(cut);
}

function restoreToolNames(message: Message, own: (name: string) => string): Message {
  const { tool_calls: calls } = message;
  if (!calls) return message;
  return {
    ...message,
    tool_calls: expandParallelCalls(
      calls.map((call) => ({ ...call, name: own(call.name) })),
      own,
    ),
  };
}

/** Another call may have learned something else meanwhile. */
function changeDialect<Body>(line: ModelState<Body>, change: Partial<Dialect>): void {
  const before = line.wire.dialect;
  const without = [...new Set([...before.without, ...(change.without ?? [])])];
  const dialect = { ...before, ...change, without };
  if (isDeepStrictEqual(dialect, before)) return;
  line.wire = { ...line.wire, dialect, cache: new WeakMap() };
  line.options.onDialectChange?.(change);
}

/** The request as a lesson that is only about it wants it; the same when it is so already. */
function adjustRequest(
  request: ModelRequest,
  { maxOutputTokens, pairsMessages: pairsCalls, offersCalledTools: offersTools }: ProviderWorkaround,
): ModelRequest {
  if (maxOutputTokens !== undefined) return { ...request, parameters: { ...request.parameters, maxOutputTokens } };
  if (offersTools) return withCalledTools(request);
  const messages = pairsCalls ? pairMessages(request.messages) : request.messages;
  return messages === request.messages ? request : { ...request, messages };
}

/** Headers are left out: some providers take their key in one. */
function specOf(options: ProtocolOptions, kind: string, root: string): Json {
  const {
    apiKey: _key,
    headers: _headers,
    fetch: _fetch,
    onDialectChange: _told,
    onPromptCut: _cut,
    ...plain
  } = options;
  const { parameters, dialect, ...rest } = plain;
  return {
    kind,
    ...rest,
    baseUrl: root,
    ...(parameters && { parameters: { ...parameters } }),
    ...(dialect && { dialect: { ...dialect, ...(dialect.without && { without: [...dialect.without] }) } }),
  };
}
