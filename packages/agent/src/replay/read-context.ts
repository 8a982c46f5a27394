import { eventCodec, type BaseEvent } from '@varve/events';
import {
  builtinKinds,
  CondensationSummaryEvent,
  MessageEvent,
  ObservationEvent,
  SystemPromptEvent,
} from '@varve/events/kinds';
import type { ModelRequest, ModelParameters, ToolSpec } from '@varve/llm';
import type { LogReader } from '@varve/storage';
import type { ConversationOptions } from '../conversation/conversation-options.ts';
import { messageDigester } from '../log/digest.ts';
import { callFact, toolsetFact } from '@varve/events/facts';
import { InvokeSkillObservation } from '@varve/events/payloads';
import { messageBuilder, Timeline, viewProjection } from '@varve/events/projections';
import { contextProjection } from '../log/projections/context-projection.ts';
import { rebuiltRequests, viewTimeline } from './rebuilt-requests.ts';
import { earlierMessages } from './verify-requests.ts';
import { maxInputTokens, tokenCounters, type RequestTokens } from '../request/token-counter.ts';

/** Options of {@link readContext}. */
export interface ReadContextOptions extends Pick<ConversationOptions, 'kinds'> {
  /** Context window of the model in tokens; absent if unknown. */
  readonly contextWindow?: number;
  /** Parameters of the agent, whose reply limit is subtracted from the window. */
  readonly parameters?: ModelParameters;
}

/** Use of the context window by the next request of a conversation, in estimated tokens. */
export interface ContextUse {
  /** System prompt with its dynamic part. */
  readonly prompt: number;
  /** Tools of the last request, or of the system prompt before the first one. */
  readonly tools: number;
  /** Texts of skills in messages and results. */
  readonly skills: number;
  /** Summaries of forgotten events. */
  readonly summaries: number;
  /** Messages, calls and results. */
  readonly history: number;
  /** Sum of the parts. */
  readonly total: number;
  /** Tokens that a request may have; absent if the window is unknown. */
  readonly limit?: number;
  /** Tokens of the last request as its server counted them; absent after a condensation. */
  readonly counted?: number;
}

/** Returns how the next request of a stored conversation uses the context window. Needs no lease, model and tool. */
export async function readContext(
  log: LogReader,
  { kinds = [], contextWindow, parameters = {} }: ReadContextOptions = {},
): Promise<ContextUse> {
  const codec = eventCodec([...builtinKinds, ...kinds]);
  const timeline = new Timeline({
    codec,
    projections: { view: viewProjection(codec), context: contextProjection(codec) },
  });
  const offered = new OfferedTools();
  for await (const { seq, id, text } of log.range(0)) {
    const event = codec.read(text);
    offered.add(event);
    if (!timeline.push(event, seq, id)) await timeline.refold((from) => log.range(from));
  }
  const { events } = timeline.read('view');
  const context = timeline.read('context');
  const tokens = tokenCounters(codec, offered.in(events))(context, events)();
  const parts = partsOf(events, tokens);
  const limit = contextWindow === undefined ? undefined : maxInputTokens(capabilitiesOf(contextWindow), parameters);
  return {
    ...parts,
    total: Object.values(parts).reduce((sum, part) => sum + part, 0),
    ...(limit !== undefined && { limit }),
    ...(context.counted && { counted: context.counted.tokens }),
  };
}

function capabilitiesOf(contextWindow: number) {
  return { functionCalling: true, vision: false, streaming: false, contextWindow };
}

/** Tools of the requests in a log. */
class OfferedTools {
  readonly #byDigest = new Map<string, readonly ToolSpec[]>();
  #last = '';

  add(event: BaseEvent): void {
    const toolset = toolsetFact.read(event);
    if (toolset) this.#byDigest.set(toolset.digest, toolset.tools);
    const call = callFact.read(event);
    if (call?.usage_id === 'agent') this.#last = call.digests.tools;
  }

  in(events: readonly BaseEvent[]): readonly ToolSpec[] {
    const last = this.#byDigest.get(this.#last);
    if (last) return last;
    const prompt = events.find((event) => SystemPromptEvent.is(event));
    return (prompt?.tools ?? []).map((tool) => ({ name: '', description: JSON.stringify(tool), parameters: {} }));
  }
}

function partsOf(events: readonly BaseEvent[], tokens: RequestTokens): Omit<ContextUse, 'total'> {
  const parts = { prompt: 0, tools: tokens.tools, skills: 0, summaries: 0, history: 0 };
  for (const event of events) {
    const all = tokens.event(event);
    const skills = skillTokens(event, all, tokens);
    parts.skills += skills;
    parts[partOf(event)] += all - skills;
  }
  return parts;
}

function partOf(event: BaseEvent): 'prompt' | 'summaries' | 'history' {
  if (SystemPromptEvent.is(event)) return 'prompt';
  return CondensationSummaryEvent.is(event) ? 'summaries' : 'history';
}

function skillTokens(event: BaseEvent, all: number, tokens: RequestTokens): number {
  if (ObservationEvent.is(event) && InvokeSkillObservation.is(event.observation)) return all;
  if (!MessageEvent.is(event) || event.extended_content.length === 0) return 0;
  return all - tokens.event({ ...event, extended_content: [] } as BaseEvent);
}

/** Request of a conversation. */
export interface ReadRequest {
  readonly request: ModelRequest;
  /** Seq of its reply; absent if it was not sent yet. */
  readonly seq?: number;
  /** False if its messages do not have the digest that was stored with the reply. */
  readonly isExact: boolean;
}

/**
 * Returns the request of the first reply from a seq on, as it was sent; without such a reply, the request that the next
 * step would send, with the tools and parameters of the last one. Needs no lease.
 */
export async function readRequest(log: LogReader, from = Infinity): Promise<ReadRequest> {
  const codec = eventCodec(builtinKinds);
  let shared: Pick<ModelRequest, 'tools' | 'parameters'> = { tools: [], parameters: {} };
  for await (const { seq, call, request } of rebuiltRequests(log, codec)) {
    if (!call || !request) continue;
    const { messages, tools, parameters } = request;
    shared = { tools, parameters };
    if (seq < from) continue;
    const isSame = messageDigester()(messages) === call.digests.messages;
    const sent = isSame ? messages : await earlierMessages(log, codec, seq, call);
    const isExact = sent !== undefined;
    return { seq, isExact, request: { messages: sent ?? messages, ...shared, cacheKey: log.id } };
  }
  const timeline = viewTimeline(codec);
  await timeline.load((start) => log.range(start));
  const messages = messageBuilder(codec)(timeline.read('view').events);
  return { isExact: true, request: { messages, ...shared, cacheKey: log.id } };
}
