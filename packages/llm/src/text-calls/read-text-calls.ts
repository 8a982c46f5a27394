import { text, textOf, type Message, type ToolCall } from '@varve/events';
import { knownNamesOf, readCalls } from './read-calls.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import type { TextCallFormat, CallText, TextCalls } from './formats/text-call-format.ts';
import { mentionsCall } from './mentions-call.ts';
import { readArgPairs } from './formats/arg-pairs.ts';
import { readFunctionTags } from './formats/function-tags.ts';
import { readInvoke } from './formats/invoke.ts';
import { readJsonCall } from './formats/json.ts';
import { readToolCallJson } from './formats/tool-call-json.ts';
import { blankOutCode } from './blank-out-code.ts';

/** A reply whose text held calls. */
export interface TextCallReply {
  /** With the calls in their place, or told in its finish reason. */
  readonly reply: ModelReply;
  /** Absent when the calls were not read. */
  readonly format?: TextCallFormat;
}

/**
 * What a reply is whose calls stand in its text, where the request offered tools and the reply has no others. Calls are read
 * only when the text ends with them, whole, in one of the notations, and each names a tool of the request. Undefined for a
 * reply that holds none.
 */
export function readTextCalls(
  reply: ModelReply,
  { tools, parameters }: ModelRequest,
  dialects: readonly TextCallFormat[],
): TextCallReply | undefined {
  const { message, finish } = reply;
  if (tools.length === 0 || parameters.toolChoice === 'none' || (message.tool_calls ?? []).length > 0) return undefined;
  const said = textOf(message.content);
  const own = toolNameLookup(tools);
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const leaky = { text: said, prose: blankOutCode(said) };
  const isWhole = finish === 'stop' || finish === 'unknown' || finish === 'tool-calls';
  for (const dialect of isWhole ? dialects : []) {
    const found = readers[dialect](leaky, (tool) => knownNamesOf(known, own(tool)));
    if (found?.calls.every(({ name }) => known.has(own(name)))) {
      return { format: dialect, reply: withCalls(reply, named(found, own), known) };
    }
  }
  // What was only thought is not run, but tells why nothing was said.
  const thought = message.reasoning_content ?? '';
  const looked = said.trim() === '' ? { text: thought, prose: blankOutCode(thought) } : leaky;
  return mentionsCall(looked, (name) => known.has(own(name)))
    ? { reply: { ...reply, finish: isWhole ? 'unread-calls' : finish } }
    : undefined;
}

type Reader = (text: CallText, knownIn: Parameters<typeof readFunctionTags>[1]) => TextCalls | undefined;

const readers: Readonly<Record<TextCallFormat, Reader>> = {
  'function-tags': readFunctionTags,
  'tool-call-json': readToolCallJson,
  invoke: readInvoke,
  'arg-pairs': readArgPairs,
  json: readJsonCall,
};

function named({ leadingText: said, calls }: TextCalls, own: (name: string) => string): TextCalls {
  return { leadingText: said, calls: calls.map((call) => ({ ...call, name: own(call.name) })) };
}

function withCalls(
  reply: ModelReply,
  { leadingText: said, calls }: TextCalls,
  tools: ReadonlyMap<string, ToolSpec>,
): ModelReply {
  const read = readCalls(calls, { tools, replyId: reply.id, notice: () => undefined });
  return {
    ...reply,
    message: messageWith(reply.message, said.trimEnd(), read.calls),
    finish: 'tool-calls',
    ...(Object.keys(read.invalidCalls).length > 0 && { invalidCalls: read.invalidCalls }),
  };
}

/** A reply with calls is kept as its calls, so the first of them carries what belongs to the message. */
function messageWith({ extra, ...message }: Message, said: string, calls: readonly ToolCall[]): Message {
  return {
    ...message,
    content: said === '' ? [] : [text(said)],
    tool_calls: extra ? calls.map((call, index) => (index === 0 ? { ...call, extra } : call)) : calls,
  };
}
