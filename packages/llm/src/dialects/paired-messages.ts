import { text, type Message, type ToolCall } from '@varve/events';

/** What stands in place of a result that is missing. */
const missingResult = 'This call has no result: it was interrupted.';

/**
 * Messages in which every call is followed by exactly one result, in call order, and nothing else is a result: results move
 * behind their calls, missing ones are made up, those without a call or beside another are left out, and a call that repeats
 * the id of another gets one of its own. Messages that are so already are handed back as they are.
 */
export function pairMessages(messages: readonly Message[]): readonly Message[] {
  const paired = pairsOf(messages);
  const isSame = paired.length === messages.length && paired.every((message, index) => message === messages[index]);
  return isSame ? messages : paired;
}

function pairsOf(messages: readonly Message[]): readonly Message[] {
  /** Of each id that was given away, how many calls have it in theirs. */
  const copies = new Map<string, number>();
  return messages.flatMap((message, index) => {
    if (message.role === 'tool') return [];
    const { tool_calls: calls = [] } = message;
    if (calls.length === 0) return [message];
    const results = resultsOf(messages.slice(index + 1), calls);
    const own = calls.map((call) => withUniqueId(call, copies));
    const isSame = own.every((call, place) => call === calls[place]);
    return [
      isSame ? message : { ...message, tool_calls: own },
      ...own.map((call, place) => resultOf(call, results[place])),
    ];
  });
}

/** A result of each call, as far as there is one before another message makes a call with the same id. */
function resultsOf(later: readonly Message[], calls: readonly ToolCall[]): readonly (Message | undefined)[] {
  const open = [...later];
  return calls.map(({ id }) => {
    const at = open.findIndex(({ role, tool_call_id: of }) => role === 'tool' && of === id);
    const isOfAnother = open
      .slice(0, Math.max(0, at))
      .some(({ tool_calls: others }) => others?.some((other) => other.id === id));
    return at === -1 || isOfAnother ? undefined : open.splice(at, 1)[0];
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
