import { textOf, type Message, type ToolCall } from '@varve/events';
import type { ModelRequest, ToolSpec } from '../model-request.ts';
import { withCacheMarks } from './cache-marks.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { wireName } from '../dialects/tool-names.ts';
import { toolSchema } from '../dialects/tool-schema.ts';
import { toolImages, wireContent, wireToolContent } from './wire-content.ts';
import { wireParameters } from './wire-parameters.ts';
import type { WireCall, WireMessage, WirePart, WireRequest, WireTool } from './wire-request.ts';
import { partsOf, wireTurns } from './wire-turns.ts';
import { cachedFold, cachedWire, withWellFormedText } from '../protocol/wire-form.ts';
import { sendsImages, wireToolChoice, type WireSettings } from '../protocol/wire-settings.ts';

interface ConvertedMessage {
  readonly wire: WireMessage;
  /** Images of a tool result. Only user messages contain images, so they follow after the whole block of results. */
  readonly images: readonly WirePart[];
}

/**
 * Returns the chat completion body of a request: the same bytes for the same request, so that prompt caches hit.
 * Messages must be legal.
 */
export function toWire(request: ModelRequest, settings: WireSettings): WireRequest {
  const { model, dialect, stream } = settings;
  const parameters = { ...settings.parameters, ...request.parameters };
  const tools = request.tools.map((tool) => wireTool(tool, settings));
  const turns = wireTurns(wireMessages(request.messages, settings), dialect);
  const usage = !dialect.without.includes('stream_options') && { stream_options: { include_usage: true } as const };
  return {
    model,
    messages: dialect.cacheMarks && dialect.parts ? withCacheMarks(turns, settings.cache) : turns,
    ...(tools.length > 0 && { tools, ...wireToolChoice(parameters, dialect) }),
    ...wireParameters(parameters, dialect),
    ...(dialect.cacheKey && request.cacheKey && { prompt_cache_key: request.cacheKey.slice(0, 64) }),
    ...(stream && { stream: true, ...usage }),
  };
}

/** Messages of the wire in order. */
interface WireList {
  readonly wires: WireMessage[];
  /** Images of the last results, until another message follows. */
  waiting: readonly WirePart[];
}

function wireMessages(messages: readonly Message[], settings: WireSettings): readonly WireMessage[] {
  const { wires, waiting } = cachedFold(settings.cache, messages, {
    initial: (): WireList => ({ wires: [], waiting: [] }),
    add: (list, message) => addMessage(list, convertMessage(message, settings)),
  });
  return waiting.length > 0 ? [...wires, { role: 'user', content: waiting }] : wires.slice();
}

function addMessage(list: WireList, { wire, images }: ConvertedMessage): void {
  const { wires, waiting } = list;
  const isJoined = wire.role === 'user' && waiting.length > 0;
  if (wire.role !== 'tool' && waiting.length > 0) {
    wires.push({ role: 'user', content: isJoined ? [...waiting, ...partsOf(wire.content)] : waiting });
    list.waiting = [];
  }
  if (!isJoined) wires.push(wire);
  if (images.length > 0) list.waiting = [...list.waiting, ...images];
}

function convertMessage(message: Message, settings: WireSettings): ConvertedMessage {
  const images = message.role === 'tool' && sendsImages(settings) ? toolImages(message) : [];
  return withWellFormedText({ wire: wireMessage(message, settings), images });
}

function wireMessage(message: Message, settings: WireSettings): WireMessage {
  if (message.role === 'assistant') return assistantMessage(message, settings);
  if (message.role !== 'tool') return { role: message.role, content: wireContent(message, settings) };
  return {
    role: 'tool',
    ...(message.tool_call_id !== undefined && { tool_call_id: message.tool_call_id }),
    ...(settings.dialect.resultNames && message.name !== undefined && { name: wireName(message.name) }),
    content: wireToolContent(message, settings),
  };
}

/** The content is a string or null: some servers return a list of parts as text. */
function assistantMessage(message: Message, { model, origin = model, dialect }: WireSettings): WireMessage {
  const content = textOf(message.content);
  const calls = message.tool_calls ?? [];
  const noContent = dialect.emptyContent === 'null' ? null : '';
  const opaque = dialect.sealedBack ? opaqueFields(message, origin) : {};
  return {
    role: 'assistant',
    content: calls.length > 0 && content.trim() === '' ? noContent : content,
    ...reasoningBack(message, dialect),
    ...opaque,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => wireCall(call, { origin, dialect })) }),
  };
}

/** Models that reason between calls reject a message with calls and without reasoning, even where there was none. */
function reasoningBack({ reasoning_content: reasoning = '', tool_calls: calls }: Message, dialect: Dialect) {
  const isNeeded = dialect.reasoningBack !== 'never' && calls !== undefined && calls.length > 0;
  const isSent = dialect.reasoningBack === 'always' && reasoning !== '';
  return isNeeded || isSent ? { [dialect.reasoningField]: reasoning } : {};
}

/** Opaque provider data is sent back to its own origin only. */
function opaqueFields(message: Message, origin: string): Pick<WireMessage, 'reasoning_details' | 'thinking_blocks'> {
  const { extra, tool_calls: calls, thinking_blocks: blocks } = message;
  const holders = [extra, calls?.[0]?.extra].filter((holder) => holder?.['origin'] === origin);
  const details = holders.find((holder) => holder?.['reasoning_details'])?.['reasoning_details'];
  return {
    ...(details !== undefined && { reasoning_details: details }),
    ...(holders.length > 0 && blocks.length > 0 && { thinking_blocks: blocks }),
  };
}

function wireCall(
  { id, name, arguments: json, extra }: ToolCall,
  { origin, dialect }: { readonly origin: string; readonly dialect: Dialect },
): WireCall {
  const content = dialect.sealedBack && extra?.['origin'] === origin ? extra['extra_content'] : undefined;
  return {
    id,
    type: 'function',
    function: { name: wireName(name), arguments: json },
    ...(content !== undefined && { extra_content: content }),
  };
}

function wireTool(tool: ToolSpec, { dialect, cache }: WireSettings): WireTool {
  return cachedWire(cache, tool, () => {
    const { name, description, parameters } = tool;
    const definition = { name: wireName(name), description, parameters: toolSchema(parameters, dialect.schema) };
    return withWellFormedText({ type: 'function', function: definition } as const);
  });
}
