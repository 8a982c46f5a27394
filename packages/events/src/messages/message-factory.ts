import type { EventCodec } from '../codec.ts';
import { hasContent, text } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import type { Message, ToolCall } from '../message.ts';
import { memo } from './memo.ts';
import { isObjectJson, legalContent, legalToolName, unparsedArguments } from './provider-rules.ts';
import type { PairedCall } from './replies.ts';

const lostResult = 'No result was recorded for this call: it was interrupted, and its outcome is unknown.';
const emptyResult = 'The call gave no output.';

/** Turns parts of a view into messages; the same part gives the same message objects again. */
export interface MessageFactory {
  /** The message of a reply, and one result per call in call order. */
  ofReply(calls: readonly PairedCall[]): readonly Message[];
  /** What an event that stands alone says, at most one message. */
  ofEvent(event: BaseEvent): readonly Message[];
  /** One user message for several in a row. */
  merge(first: Message, rest: readonly Message[]): Message;
}

/** Makes turns; what did not change since the last time is the same object. */
export function messageFactory(codec: EventCodec): MessageFactory {
  const replies = memo<Message>();
  const results = memo<Message>();
  const events = memo<readonly Message[]>();
  const runs = memo<Message>();
  return {
    ofReply(calls) {
      const [first] = calls;
      if (!first) return [];
      const inputs = calls.flatMap(({ event, wireId }) => [event, wireId]);
      return [
        replies(first.event, inputs, () => replyMessage(first.event, calls)),
        ...calls.map((call) => results(call.event, [call.wireId, call.result], () => resultMessage(codec, call))),
      ];
    },
    ofEvent: (event) => events(event, [], () => messageOf(codec, event)),
    merge: (first, rest) =>
      runs(first, rest, () => ({ ...first, content: [first, ...rest].flatMap(({ content }) => content) })),
  };
}

function replyMessage(
  { reasoning_content, thinking_blocks, responses_reasoning_item }: PairedCall['event'],
  calls: readonly PairedCall[],
): Message {
  return {
    role: 'assistant',
    content: legalContent(calls.flatMap(({ event }) => event.thought)),
    tool_calls: calls.map(wireCall),
    ...(reasoning_content !== undefined && { reasoning_content }),
    thinking_blocks,
    ...(responses_reasoning_item && { responses_reasoning_item }),
  };
}

function wireCall({ event: { tool_call: call }, wireId }: PairedCall): ToolCall {
  const legalArguments = isObjectJson(call.arguments);
  const name = legalToolName(call.name);
  if (legalArguments && call.id === wireId && call.name === name) return call;
  return {
    ...call,
    id: wireId,
    name,
    // Providers parse the arguments again; what is not an object would make them reject the whole history.
    arguments: legalArguments ? call.arguments : objectJsonOf(call.arguments),
  };
}

function objectJsonOf(unparsed: string): string {
  return unparsed.trim() === '' ? '{}' : JSON.stringify({ [unparsedArguments]: unparsed });
}

function resultMessage(codec: EventCodec, { event, wireId, result }: PairedCall): Message {
  const said = result && codec.kind(result.kind)?.toMessage?.(result);
  return {
    role: 'tool',
    content: said ? (hasContent(said.content) ? legalContent(said.content) : [text(emptyResult)]) : [text(lostResult)],
    tool_call_id: wireId,
    name: legalToolName(event.tool_name),
    thinking_blocks: [],
  };
}

/** An event that stands alone. Calls and results inside a foreign message are not ours to pair, so only its text stays. */
function messageOf(codec: EventCodec, event: BaseEvent): readonly Message[] {
  const said = codec.kind(event.kind)?.toMessage?.(event);
  if (!said || !hasContent(said.content)) return [];
  const { tool_calls: calls, tool_call_id: callId, ...rest } = said;
  const content = legalContent(said.content);
  if (said.role === 'user' || said.role === 'assistant' || SystemPromptEvent.is(event)) {
    const isWhole = !calls && callId === undefined && content === said.content;
    return isWhole ? [said] : [{ ...rest, content }];
  }
  return [{ role: 'user', content, thinking_blocks: [] }];
}
