import { text, textOf, type Message, type ToolCall } from '@varve/events';
import { knownNamesOf, readCalls } from './read-calls.ts';
import type { ModelReply } from '../model-reply.ts';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { toolNameLookup } from '../dialects/tool-names.ts';
import { blankOutCode } from './blank-out-code.ts';
import { exampleCall } from './example-call.ts';
import { textCallReaders, type TextCallFormat } from './formats/readers.ts';
import type { CallText, TextCalls } from './formats/text-call-format.ts';
import { maxSearched } from './max-searched.ts';
import { mentionedCall } from './mentions-call.ts';

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
 * request. Once the model has called natively, a call must begin a line, and ordinary code is not one. Returns
 * undefined for a reply whose text contains no calls.
 */
export function readTextCalls(
  reply: ModelReply,
  { tools, parameters, messages }: ModelRequest,
  formats: readonly TextCallFormat[],
): TextCallReply | undefined {
  const { message, finish } = reply;
  if (tools.length === 0 || parameters.toolChoice === 'none' || (message.tool_calls ?? []).length > 0) return undefined;
  const written = textOf(message.content);
  if (written.length > maxSearched) return undefined;
  const originalName = toolNameLookup(tools);
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  const isWhole = finish === 'stop' || finish === 'unknown' || finish === 'tool-calls';
  const callText = { text: written, prose: blankOutCode(written) };
  const options = { tools: known, originalName, isNative: hasNativeCalls(messages) };
  const read = isWhole ? callsInText(callText, formats, options) : undefined;
  if (read) return { format: read.format, reply: withCalls(reply, read.calls, known) };
  // A call in the reasoning is not run, but it explains why the text is empty.
  const reasoning = (message.reasoning_content ?? '').slice(0, maxSearched);
  const searched = written.trim() === '' ? { text: reasoning, prose: blankOutCode(reasoning) } : callText;
  const tool = mentionedCall(searched, (name) => known.has(originalName(name)));
  return tool === undefined ? undefined : { reply: unreadReply(reply, known.get(originalName(tool))) };
}

/** Returns a reply whose text seems to contain a call of a tool, with the form in which the call can be read. */
export function unreadReply(reply: ModelReply, tool: ToolSpec | undefined): ModelReply {
  const isCut = reply.finish === 'length' || reply.finish === 'content-filter';
  return isCut ? reply : { ...reply, finish: 'unread-calls', ...(tool && { callForm: exampleCall(tool) }) };
}

/** Options of {@link callsInText}. */
export interface TextCallOptions {
  readonly tools: ReadonlyMap<string, ToolSpec>;
  /** Returns the name of a tool from the name that a model wrote. */
  readonly originalName: (name: string) => string;
  /** The model has called natively before. */
  readonly isNative: boolean;
}

/** Tokens with which models end their turn. Servers that do not know them leave them in the text. */
const endsOfTurn = [
  ...['im_end', 'eot_id', 'eom_id', 'end', 'endoftext', 'end_of_text', 'return'].map((name) => `<|${name}|>`),
  '<|END_OF_TURN_TOKEN|>',
  '</s>',
  '<end_of_turn>',
  '<turn|>',
  '<｜end▁of▁sentence｜>',
];

/** Returns the length of a text without the tokens and the white space at its end. */
function lengthOfTurn(written: string): number {
  let rest = written.trimEnd();
  for (let token = tokenAt(rest); token !== undefined; token = tokenAt(rest)) {
    rest = rest.slice(0, -token.length).trimEnd();
  }
  return rest.length;
}

function tokenAt(written: string): string | undefined {
  return endsOfTurn.find((token) => written.endsWith(token));
}

/** Returns the calls with which a text ends in the first format that fits, with the names of the tools. */
export function callsInText(
  { text: written, prose }: CallText,
  formats: readonly TextCallFormat[],
  { tools, originalName, isNative }: TextCallOptions,
): { readonly format: TextCallFormat; readonly calls: TextCalls } | undefined {
  const end = lengthOfTurn(written);
  const callText = { text: written.slice(0, end), prose: prose.slice(0, end) };
  const knownIn = (tool: string): ReturnType<typeof knownNamesOf> => {
    const names = knownNamesOf(tools, originalName(tool));
    return { ...names, isTool: (name) => tools.has(originalName(name)) };
  };
  for (const format of formats) {
    const { read, isCode = false }: (typeof textCallReaders)[TextCallFormat] & { readonly isCode?: boolean } =
      textCallReaders[format];
    if (isNative && isCode) continue;
    const textCalls = read(callText, knownIn);
    if (!textCalls?.calls.every(({ name }) => tools.has(originalName(name)))) continue;
    if (isNative && !endsLine(textCalls.leadingText)) continue;
    // Calls before those that were read would be left out.
    const leading = { text: textCalls.leadingText, prose: prose.slice(0, textCalls.leadingText.length) };
    if (mentionedCall(leading, (name) => tools.has(originalName(name))) !== undefined) continue;
    const calls = textCalls.calls.map((call) => ({ ...call, name: originalName(call.name) }));
    return { format, calls: { ...textCalls, calls } };
  }
  return undefined;
}

function endsLine(written: string): boolean {
  const { length } = written.trimEnd();
  return length === 0 || written.slice(length).includes('\n');
}

/** Ids of calls that were read from text, see `readCalls`; providers have ids of other forms. */
const textCallId = /^call_[0-9a-f]{20}$/;

function hasNativeCalls(messages: readonly Message[]): boolean {
  return messages.some(({ tool_calls: calls = [] }) => calls.some(({ id }) => !textCallId.test(id)));
}

function withCalls(
  reply: ModelReply,
  { leadingText, reasoning, calls }: TextCalls,
  tools: ReadonlyMap<string, ToolSpec>,
): ModelReply {
  const read = readCalls(calls, { tools, replyId: reply.id });
  const message = messageWith(reply.message, leadingText.trimEnd(), read.calls);
  const isNew = reasoning !== undefined && reasoning !== '' && (message.reasoning_content ?? '') === '';
  return {
    ...reply,
    message: isNew ? { ...message, reasoning_content: reasoning } : message,
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
