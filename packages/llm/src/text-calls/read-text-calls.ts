import { text, textOf, type Message, type ToolCall } from '@varve/events';
import { knownNamesOf, readCalls } from './read-calls.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import type { TextCallFormat, CallText, TextCalls } from './formats/text-call-format.ts';
import { maxSearched } from './max-searched.ts';
import { mentionsCall } from './mentions-call.ts';
import { readArgPairs } from './formats/arg-pairs.ts';
import { readFunctionTags } from './formats/function-tags.ts';
import { readInvoke } from './formats/invoke.ts';
import { readJsonCall } from './formats/json.ts';
import { readToolCallJson } from './formats/tool-call-json.ts';
import { blankOutCode } from './blank-out-code.ts';

/** A reply whose text contained calls. */
export interface TextCallReply {
  /** The reply with these calls as tool calls, or with the finish reason `unread-calls`. */
  readonly reply: ModelReply;
  /** Absent when the calls were not read. */
  readonly format?: TextCallFormat;
}

/**
 * Reads the calls in the text of a reply, when the request offered tools and the reply has no native calls. Calls are
 * read only when the text ends with them, they are complete and in one of the formats, and each names a tool of the
 * request. Returns undefined for a reply whose text contains no calls.
 */
export function readTextCalls(
  reply: ModelReply,
  { tools, parameters }: ModelRequest,
  formats: readonly TextCallFormat[],
): TextCallReply | undefined {
  const { message, finish } = reply;
  if (tools.length === 0 || parameters.toolChoice === 'none' || (message.tool_calls ?? []).length > 0) return undefined;
  const written = textOf(message.content);
  if (written.length > maxSearched) return undefined;
  const own = toolNameLookup(tools);
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const callText = { text: written, prose: blankOutCode(written) };
  const isWhole = finish === 'stop' || finish === 'unknown' || finish === 'tool-calls';
  for (const format of isWhole ? formats : []) {
    const found = readers[format](callText, (tool) => knownNamesOf(known, own(tool)));
    if (found?.calls.every(({ name }) => known.has(own(name)))) {
      return { format, reply: withCalls(reply, withOwnNames(found, own), known) };
    }
  }
  // A call in the reasoning is not run, but it explains why the text is empty.
  const reasoning = (message.reasoning_content ?? '').slice(0, maxSearched);
  const searched = written.trim() === '' ? { text: reasoning, prose: blankOutCode(reasoning) } : callText;
  return mentionsCall(searched, (name) => known.has(own(name)))
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

function withOwnNames({ leadingText, calls }: TextCalls, own: (name: string) => string): TextCalls {
  return { leadingText, calls: calls.map((call) => ({ ...call, name: own(call.name) })) };
}

function withCalls(
  reply: ModelReply,
  { leadingText, calls }: TextCalls,
  tools: ReadonlyMap<string, ToolSpec>,
): ModelReply {
  const read = readCalls(calls, { tools, replyId: reply.id, notice: () => undefined });
  return {
    ...reply,
    message: messageWith(reply.message, leadingText.trimEnd(), read.calls),
    finish: 'tool-calls',
    ...(Object.keys(read.invalidCalls).length > 0 && { invalidCalls: read.invalidCalls }),
  };
}

/** Moves `extra` to the first call, because a reply with calls is stored as its calls. */
function messageWith({ extra, ...message }: Message, leadingText: string, calls: readonly ToolCall[]): Message {
  return {
    ...message,
    content: leadingText === '' ? [] : [text(leadingText)],
    tool_calls: extra ? calls.map((call, index) => (index === 0 ? { ...call, extra } : call)) : calls,
  };
}
