import { textOf, type Message, type ToolCall } from '@varve/events';
import type { ModelParameters, ModelRequest, ToolSpec } from '../model-request.ts';
import { withCacheMarks } from './cache-marks.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { wireName } from '../dialects/tool-names.ts';
import { toolSchema } from '../dialects/tool-schema.ts';
import { withWellFormedText } from '../protocol/well-formed.ts';
import { sendsImages, toolImages, wireContent, wireToolContent, type ContentSettings } from './wire-content.ts';
import { wireParameters, wireToolChoice } from './wire-parameters.ts';
import type { WireCall, WireMessage, WirePart, WireRequest, WireTool } from './wire-request.ts';
import { wireTurns } from './wire-turns.ts';
import { cachedWire, type WireCache } from '../protocol/written-once.ts';

/** What a wire request depends on beside the request itself. */
export interface WireSettings extends ContentSettings {
  readonly model: string;
  readonly stream: boolean;
  /** The model at its address, to which alone opaque data goes back that came from it; the model's name when absent. */
  readonly origin?: string;
  /** Used where the request sets nothing. */
  readonly parameters?: ModelParameters;
  /** Keeps what messages and tools became, for requests of one protocol with the same model, vision and dialect. */
  readonly cache?: WireCache;
}

interface ConvertedMessage {
  readonly wire: WireMessage;
  /** Of a tool result: only user messages carry images, so they wait until the whole block of results is through. */
  readonly images: readonly WirePart[];
}

/**
 * The chat completion body of a request: the same bytes for the same request, so that prompt caches hit. Messages are
 * taken as legal.
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

function wireMessages(messages: readonly Message[], settings: WireSettings): readonly WireMessage[] {
  const wire: WireMessage[] = [];
  const convert = (message: Message): ConvertedMessage => convertMessage(message, settings);
  let waiting: readonly WirePart[] = [];
  for (const message of messages) {
    const { wire: written, images } = cachedWire(settings.cache, message, convert);
    const isJoined = message.role === 'user' && waiting.length > 0;
    if (message.role !== 'tool' && waiting.length > 0) {
      wire.push({ role: 'user', content: isJoined ? [...waiting, ...partsOf(written)] : waiting });
      waiting = [];
    }
    if (!isJoined) wire.push(written);
    if (images.length > 0) waiting = [...waiting, ...images];
  }
  return waiting.length > 0 ? [...wire, { role: 'user', content: waiting }] : wire;
}

function partsOf({ content }: WireMessage): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
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

/** Always a string or null: some servers mirror a list of parts back as text. */
function assistantMessage(message: Message, { model, origin = model, dialect }: WireSettings): WireMessage {
  const said = textOf(message.content);
  const calls = message.tool_calls ?? [];
  const silence = dialect.emptyContent === 'null' ? null : '';
  const sealed = dialect.sealedBack ? sealedOf(message, origin) : {};
  return {
    role: 'assistant',
    content: calls.length > 0 && said.trim() === '' ? silence : said,
    ...reasoningBack(message, dialect),
    ...sealed,
    ...(calls.length > 0 && { tool_calls: calls.map((call) => wireCall(call, { origin, dialect })) }),
  };
}

/** Models that think between calls reject a message with calls that lacks its reasoning, even where there was none. */
function reasoningBack({ reasoning_content: known = '', tool_calls: calls }: Message, dialect: Dialect) {
  const isNeeded = dialect.reasoningBack !== 'never' && calls !== undefined && calls.length > 0;
  const isTold = dialect.reasoningBack === 'always' && known !== '';
  return isNeeded || isTold ? { [dialect.reasoningField]: known } : {};
}

/** Opaque provider data goes back only to where it came from. */
function sealedOf(message: Message, origin: string): Pick<WireMessage, 'reasoning_details' | 'thinking_blocks'> {
  const { extra, tool_calls: calls, thinking_blocks: blocks } = message;
  const own = [extra, calls?.[0]?.extra].filter((holder) => holder?.['origin'] === origin);
  const details = own.find((holder) => holder?.['reasoning_details'])?.['reasoning_details'];
  return {
    ...(details !== undefined && { reasoning_details: details }),
    ...(own.length > 0 && blocks.length > 0 && { thinking_blocks: blocks }),
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
    const written = { name: wireName(name), description, parameters: toolSchema(parameters, dialect.schema) };
    return withWellFormedText({ type: 'function', function: written } as const);
  });
}
