import type { BaseEvent, EventCodec, Message } from '@varve/events';
import { callFact, parametersFact, toolsetFact, type Call } from '@varve/events/facts';
import { messageBuilder, Timeline, viewProjection, type Projection, type View } from '@varve/events/projections';
import type { ModelParameters, ToolSpec } from '@varve/llm';
import type { LogReader, Stored } from '@varve/storage';

/** Event of a log, with the request that it answers if it records a reply. */
export interface Rebuilt {
  readonly seq: number;
  readonly event: BaseEvent;
  /** Set for a reply of any model. */
  readonly call?: Call;
  /** Request of a reply of the agent's model; those to other models, of condensers for example, are not rebuilt. */
  readonly request?: {
    /** Events that the model saw. */
    readonly events: readonly BaseEvent[];
    /** Unchanged messages and tools are the same objects in each request. */
    readonly messages: readonly Message[];
    readonly tools: readonly ToolSpec[];
    readonly parameters: ModelParameters;
  };
  /** True if the event moved the head to another branch. */
  readonly isMove: boolean;
}

/** Folds a view, perhaps with other states. */
export type ViewFold = Pick<ReturnType<typeof viewTimeline>, 'read' | 'push' | 'refold'>;

/** Yields each event of a log, and builds the request of each reply from the events before it, in one pass. */
export async function* rebuiltRequests(log: LogReader, codec: EventCodec): AsyncIterable<Rebuilt> {
  const rebuild = requestBuilder(log, codec, viewTimeline(codec));
  for await (const stored of log.range(0)) yield rebuild(stored);
}

/** Returns a function that builds the request of the next event of a log, as `rebuiltRequests` does, and folds it. */
export function requestBuilder(
  log: LogReader,
  codec: EventCodec,
  timeline: ViewFold,
): (stored: Stored) => Promise<Rebuilt> {
  const messagesOf = messageBuilder(codec);
  const toolsets = new Map<string, readonly ToolSpec[]>();
  const allParameters = new Map<string, ModelParameters>();
  return async ({ seq, id, text }) => {
    const event = codec.read(text);
    const toolset = toolsetFact.read(event);
    if (toolset) toolsets.set(toolset.digest, toolset.tools);
    const fact = parametersFact.read(event);
    if (fact) allParameters.set(fact.digest, fact.parameters);
    const call = callFact.read(event);
    const { events = [] } = call?.usage_id === 'agent' ? timeline.read('view') : {};
    const request = call?.usage_id === 'agent' && {
      request: {
        events,
        messages: messagesOf(events),
        tools: toolsets.get(call.digests.tools) ?? [],
        parameters: allParameters.get(call.digests.parameters) ?? {},
      },
    };
    const isMove = !timeline.push(event, seq, id);
    if (isMove) await timeline.refold((from) => log.range(from));
    return { seq, event, isMove, ...(call && { call }), ...request };
  };
}

/** Returns a timeline of the view of the model. */
export function viewTimeline(codec: EventCodec): Timeline<{ readonly view: Projection<unknown, View> }> {
  return new Timeline({ codec, projections: { view: viewProjection(codec) } });
}
