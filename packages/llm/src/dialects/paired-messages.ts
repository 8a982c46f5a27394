import { text, type Message, type ToolCall } from '@varve/events';

/** Text of a result in place of a missing one. */
const missingResult = 'This call has no result: it was interrupted.';

/**
 * Returns messages in which each call is followed by exactly one result, in call order, without other results: results
 * move to their calls, missing ones are created, unmatched and duplicate ones are dropped, and a call that repeats an
 * id gets a unique one. Returns the same array when nothing has to change.
 */
export function pairMessages(messages: readonly Message[]): readonly Message[] {
  const paired = pairsOf(messages);
  const isSame = paired.length === messages.length && paired.every((message, index) => message === messages[index]);
  return isSame ? messages : paired;
}

function pairsOf(messages: readonly Message[]): readonly Message[] {
  /** Number of calls by id, the ids of this function included. */
  const copies = new Map<string, number>();
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') return [];
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0) return [message];
    const results = resultsOf(messages.slice(index + 1), calls);
    const unique = calls.map((call) => withUniqueId(call, copies));
    const isSame = unique.every((call, place) => call === calls[place]);
    return [
      isSame ? message : { ...message, tool_calls: unique },
      ...unique.map((call, place) => resultOf(call, results[place])),
    ];
  });
}

/** The result of each call, undefined when it is missing before another message calls with the same id. */
function resultsOf(later: readonly Message[], calls: readonly ToolCall[]): readonly (Message | undefined)[] {
  const open = [...later];
  return calls.map(({ id }) => {
    const at = open.findIndex(({ role, tool_call_id: of }) => role === 'tool' && of === id);
    const isOfOtherCall = open
      .slice(0, Math.max(0, at))
      .some(({ tool_calls: others }) => others?.some((other) => other.id === id));
    return at === -1 || isOfOtherCall ? undefined : open.splice(at, 1)[0];
  });
}

function withUniqueId(call: ToolCall, copies: Map<string, number>): ToolCall {
  let id = call.id;
  let copy = copies.get(id) ?? 0;
  while (copies.has(id)) {
    copy += 1;
    id = `${call.id}_${copy}`;
  }
  copies.set(id, 1).set(call.id, Math.max(copy, 1));
  return id === call.id ? call : { ...call, id };
}

function resultOf({ id, name }: ToolCall, result: Message | undefined): Message {
  if (!result) return { role: 'tool', tool_call_id: id, name, content: [text(missingResult)], thinking_blocks: [] };
  return result.tool_call_id === id ? result : { ...result, tool_call_id: id };
}
