import type { BaseEvent } from '../define-event.ts';
import { ActionEvent } from '../kinds/action-event.ts';
import { MessageEvent } from '../kinds/message-event.ts';
import { repliesOf, type Reply } from './replies.ts';
import { isResult } from './results.ts';

/** Range of indices that must not be cut. */
interface Span {
  readonly first: number;
  last: number;
}

/**
 * Returns the indices at which a view may be cut without separating the calls of a reply from each other or from their
 * results, in ascending order. A cut at index i is before event i. The list always contains 0. It contains the length
 * unless the last reply still waits for a result; older calls without a result were abandoned by a later request.
 *
 * A reply with thinking blocks stays together with the tool calls that follow it, because providers check the
 * signatures of the whole loop.
 */
export function cutPoints(events: readonly BaseEvent[]): readonly number[] {
  const replies = repliesOf(events);
  const changes = new Int32Array(events.length + 2);
  for (const { first, last } of [...replySpans(events, replies), ...loopSpans(events, replies)]) {
    changes[first + 1] = (changes[first + 1] ?? 0) + 1;
    changes[last + 1] = (changes[last + 1] ?? 0) - 1;
  }
  const points: number[] = [];
  let depth = 0;
  for (let index = 0; index <= events.length; index++) {
    depth += changes[index] ?? 0;
    if (depth === 0) points.push(index);
  }
  return points;
}

function replySpans(events: readonly BaseEvent[], replies: readonly Reply[]): readonly Span[] {
  const lastAnswer = events.findLastIndex((event) => MessageEvent.is(event) && event.source === 'agent');
  return replies.map((reply, index) => {
    const waits = index === replies.length - 1 && reply.start > lastAnswer && reply.calls.some(({ result }) => !result);
    return {
      first: reply.members.reduce((least, member) => Math.min(least, member)),
      last: waits ? events.length : reply.members.reduce((most, member) => Math.max(most, member)),
    };
  });
}

/**
 * Returns a span from each reply with thinking blocks to the last call or result before the next such reply or message.
 */
function loopSpans(events: readonly BaseEvent[], replies: readonly Reply[]): readonly Span[] {
  const starts = new Set(replies.filter(hasThinking).map(({ start }) => start));
  const spans: Span[] = [];
  let loop: Span | undefined;
  for (const [index, event] of events.entries()) {
    if (starts.has(index)) {
      loop = { first: index, last: index };
      spans.push(loop);
    } else if (ActionEvent.is(event) || isResult(event)) {
      if (loop) loop.last = index;
    } else loop = undefined;
  }
  return spans;
}

function hasThinking({ calls }: Reply): boolean {
  return calls.some(({ event }) => event.thinking_blocks.length > 0);
}
