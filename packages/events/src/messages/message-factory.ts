import type { EventCodec } from '../codec.ts';
import { hasContent, text } from '../content.ts';
import type { BaseEvent } from '../define-event.ts';
import { SystemPromptEvent } from '../kinds/system-prompt-event.ts';
import { freezeJson } from '../immutable.ts';
import type { Message, ToolCall } from '../message.ts';
import { areLegalArguments, legalContent, legalToolName, unparsedArguments } from './provider-rules.ts';
import type { PairedCall } from './replies.ts';

const lostResult = 'No result was recorded for this call: it was interrupted, and its outcome is unknown.';
const emptyResult = 'The call gave no output.';

/** Creates messages from parts of a view. The same part returns the same message objects. */
export interface MessageFactory {
  /** Returns the message of a reply, and one result per call in call order. */
  ofReply(calls: readonly PairedCall[]): readonly Message[];
  /** Returns the message of an event that is neither call nor result: at most one. */
  ofEvent(event: BaseEvent): readonly Message[];
  /** Merges consecutive user messages into one. */
  merge(first: Message, rest: readonly Message[]): Message;
}

/** Creates a {@link MessageFactory}, which caches messages by their events. */
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
        replies(first.event, inputs, () => freezeJson(replyMessage(first.event, calls))),
        ...calls.map((call) =>
          results(call.event, [call.wireId, call.result], () => freezeJson(resultMessage(codec, call))),
        ),
      ];
    },
    ofEvent: (event) => events(event, [], () => freezeJson(messageOf(codec, event))),
    merge: (first, rest) =>
      runs(first, rest, () => freezeJson({ ...first, content: [first, ...rest].flatMap(({ content }) => content) })),
  };
}

function replyMessage(
  { reasoning_content, thinking_blocks, responses_reasoning_item }: PairedCall['event'],
  calls: readonly PairedCall[],
): Message {
  return {
    role: 'assistant',
    content: legalContent(calls.flatMap(({ event }) => event.thought)),
    tool_calls: calls.map(legalCall),
    ...(reasoning_content !== undefined && { reasoning_content }),
    thinking_blocks,
    ...(responses_reasoning_item && { responses_reasoning_item }),
  };
}

function legalCall({ event: { tool_call: call }, wireId }: PairedCall): ToolCall {
  const legalArguments = areLegalArguments(call.arguments);
  const name = legalToolName(call.name);
  if (legalArguments && call.id === wireId && call.name === name) return call;
  return {
    ...call,
    id: wireId,
    name,
    // Providers parse the arguments again. If they are not an object, the whole request is rejected.
    arguments: legalArguments ? call.arguments : objectJsonOf(call.arguments),
  };
}

function objectJsonOf(unparsed: string): string {
  return unparsed.trim() === '' ? '{}' : JSON.stringify({ [unparsedArguments]: unparsed });
}

function resultMessage(codec: EventCodec, { event, wireId, result }: PairedCall): Message {
  const message = result && codec.kind(result.kind)?.toMessage?.(result);
  return {
    role: 'tool',
    content: message
      ? hasContent(message.content)
        ? legalContent(message.content)
        : [text(emptyResult)]
      : [text(lostResult)],
    tool_call_id: wireId,
    name: legalToolName(event.tool_name),
    thinking_blocks: [],
  };
}

/** Keeps only the text of messages that contain calls or results, because these cannot be paired here. */
function messageOf(codec: EventCodec, event: BaseEvent): readonly Message[] {
  const message = codec.kind(event.kind)?.toMessage?.(event);
  if (!message || !hasContent(message.content)) return [];
  const { tool_calls: calls, tool_call_id: callId, ...rest } = message;
  const content = legalContent(message.content);
  if (message.role === 'user' || message.role === 'assistant' || SystemPromptEvent.is(event)) {
    const isWhole = !calls && callId === undefined && content === message.content;
    return isWhole ? [message] : [{ ...rest, content }];
  }
  return [{ role: 'user', content, thinking_blocks: [] }];
}

/**
 * Caches one value per key object. The value is recomputed if an input is not identical to that of the last call.
 * Entries are collected with their keys.
 */
export function memo<Value>(): (key: object, inputs: readonly unknown[], make: () => Value) => Value {
  const entries = new WeakMap<object, { readonly inputs: readonly unknown[]; readonly value: Value }>();
  return (key, inputs, make) => {
    const known = entries.get(key);
    if (
      known &&
      known.inputs.length === inputs.length &&
      known.inputs.every((input, index) => input === inputs[index])
    ) {
      return known.value;
    }
    const value = make();
    entries.set(key, { inputs, value });
    return value;
  };
}
