import { type Capabilities, type ModelParameters, estimateRequest, type ToolSpec } from '@varve/llm';
import type { TokenCounter } from '@varve/condensers';
import { lazy, type BaseEvent, type EventCodec, type Message } from '@varve/events';
import { ActionEvent } from '@varve/events/kinds';
import type { ContextState } from '../log/projections/context-projection.ts';

/** Range of the correction of estimates: a server may report any number. */
const [minScale, maxScale] = [0.5, 3];

/** Token counter of one conversation. */
export interface RequestTokens extends TokenCounter {
  /** Tokens of the offered tools. */
  readonly tools: number;
  /** Factor by which estimates are corrected. */
  readonly scale: number;
}

/**
 * Returns a function that makes the token counter of a conversation for its current view, when it is first needed: many
 * condensers count nothing, and a counter for a resumed conversation estimates its whole view. Each event is estimated
 * once.
 */
export function tokenCounters(
  codec: EventCodec,
  tools: readonly ToolSpec[],
): (context: ContextState, view: readonly BaseEvent[]) => () => RequestTokens {
  const toolTokens = estimateRequest({ messages: [], tools });
  const estimates = new WeakMap<BaseEvent, number>();
  const estimate = (event: BaseEvent): number => {
    const known = estimates.get(event);
    if (known !== undefined) return known;
    const message = messageOf(codec, event);
    const tokens = message ? estimateRequest({ messages: [message], tools: [] }) : 0;
    estimates.set(event, tokens);
    return tokens;
  };
  const estimateAll = prefixSums(estimate);
  return ({ scale: earlier, counted }, view) =>
    lazy(() => {
      const end = counted ? view.findLastIndex(({ id }) => id === counted.until) + 1 : 0;
      const factor = counted && end > 0 ? counted.tokens / (toolTokens + estimateAll(view, end)) : earlier;
      const scale = Math.min(maxScale, Math.max(minScale, factor));
      return {
        scale,
        tools: Math.ceil(toolTokens * scale),
        event: (event) => Math.ceil(estimate(event) * scale),
        request: (events) => Math.ceil((toolTokens + estimateAll(events, events.length)) * scale),
      };
    });
}

/** Calls are parts of a reply, and have no message of their own. */
function messageOf(codec: EventCodec, event: BaseEvent): Message | undefined {
  if (!ActionEvent.is(event)) return codec.kind(event.kind)?.toMessage?.(event);
  const { thought: content, tool_call, reasoning_content, thinking_blocks } = event;
  const reasoning = reasoning_content === undefined ? {} : { reasoning_content };
  return { role: 'assistant', content, tool_calls: [tool_call], thinking_blocks, ...reasoning };
}

/** Adds up estimates from the first event on that differs from the last call, because a view grows at its end. */
function prefixSums(estimate: (event: BaseEvent) => number): (events: readonly BaseEvent[], end: number) => number {
  const known: BaseEvent[] = [];
  const sums: number[] = [0];
  return (events, end) => {
    let same = 0;
    while (same < end && same < known.length && known[same] === events[same]) same++;
    if (same === end) return sums[end] ?? 0;
    known.length = same;
    sums.length = same + 1;
    for (const event of events.slice(same, end)) {
      known.push(event);
      sums.push((sums.at(-1) ?? 0) + estimate(event));
    }
    return sums.at(-1) ?? 0;
  };
}

/** Room for the reply in tokens, if neither the agent nor the model has a limit. */
const usualReply = 8_192;
/** Largest share of the window that is left for a reply unless the agent requires more. */
const maxReplyShare = 0.25;

/**
 * Returns the maximum tokens of a request: the context window of a model without the room for its reply; undefined if
 * the window is unknown. Servers reject a request if the reply that it asks for would not fit, so a limit of the agent
 * is subtracted as it is. What a model could write at most is often its whole window, and is not.
 */
export function maxInputTokens(
  { contextWindow, maxOutputTokens = usualReply }: Capabilities,
  parameters: ModelParameters,
): number | undefined {
  if (contextWindow === undefined) return undefined;
  const room = parameters.maxOutputTokens ?? Math.min(maxOutputTokens, Math.floor(contextWindow * maxReplyShare));
  return Math.max(1, contextWindow - room);
}
