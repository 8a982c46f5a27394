import { textOf, type Message, type ToolCall } from '@varve/events';
import type { ModelParameters, ModelRequest, ToolSpec } from '../model-request.ts';
import { toolImages, wireContent, wireToolContent, type ContentSettings } from './wire-content.ts';
import type { WireCall, WireMessage, WirePart, WireRequest, WireTool } from './wire-request.ts';
import { wellFormed } from './well-formed.ts';

/** What a wire request depends on beside the request itself. */
export interface WireSettings extends ContentSettings {
  readonly model: string;
  readonly stream: boolean;
  /** Used where the request sets nothing. */
  readonly parameters?: ModelParameters;
  /** Keeps what each message became, for requests with the same model, vision and host; messages never change. */
  readonly cache?: WireCache;
}

type WireCache = WeakMap<Message, ConvertedMessage>;

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
  const parameters = { ...settings.parameters, ...request.parameters };
  const tools = wellFormed(request.tools.map(wireTool));
  return {
    model: settings.model,
    messages: wireMessages(request.messages, settings),
    ...(tools.length > 0 && { tools, ...wireToolChoice(parameters) }),
    ...wireParameters(parameters, settings.host),
    ...(settings.host === 'openai' && request.cacheKey && { prompt_cache_key: request.cacheKey.slice(0, 64) }),
    ...(settings.stream && { stream: true, stream_options: { include_usage: true } }),
  };
}

function wireMessages(messages: readonly Message[], settings: WireSettings): readonly WireMessage[] {
  const wire: WireMessage[] = [];
  let waiting: readonly WirePart[] = [];
  for (const message of messages) {
    const converted = convertedOnce(message, settings);
    const isJoined = message.role === 'user' && waiting.length > 0;
    if (message.role !== 'tool' && waiting.length > 0) {
      wire.push({ role: 'user', content: isJoined ? [...waiting, ...partsOf(converted.wire)] : waiting });
      waiting = [];
    }
    if (!isJoined) wire.push(converted.wire);
    if (converted.images.length > 0) waiting = [...waiting, ...converted.images];
  }
  return waiting.length > 0 ? [...wire, { role: 'user', content: waiting }] : wire;
}

function partsOf({ content }: WireMessage): readonly WirePart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

function convertedOnce(message: Message, settings: WireSettings): ConvertedMessage {
  const known = settings.cache?.get(message);
  if (known) return known;
  const images = message.role === 'tool' && settings.vision ? toolImages(message) : [];
  const converted = wellFormed({ wire: wireMessage(message, settings), images });
  settings.cache?.set(message, converted);
  return converted;
}

function wireMessage(message: Message, settings: WireSettings): WireMessage {
  if (message.role === 'assistant') return assistantMessage(message, settings);
  if (message.role !== 'tool') return { role: message.role, content: wireContent(message.content, settings) };
  return {
    role: 'tool',
    ...(message.tool_call_id !== undefined && { tool_call_id: message.tool_call_id }),
    content: wireToolContent(message, settings),
  };
}

/** Always a string or null: some servers mirror a list of parts back as text. */
function assistantMessage(message: Message, { model }: WireSettings): WireMessage {
  const said = textOf(message.content);
  const calls = message.tool_calls ?? [];
  const details = message.extra?.['origin'] === model ? message.extra['reasoning_details'] : undefined;
  return {
    role: 'assistant',
    content: calls.length > 0 && said.trim() === '' ? null : said,
    ...(details !== undefined && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls.map((call) => wireCall(call, model)) }),
  };
}

/** Opaque provider data goes back only to the model that it came from. */
function wireCall({ id, name, arguments: json, extra }: ToolCall, model: string): WireCall {
  const content = extra?.['origin'] === model ? extra['extra_content'] : undefined;
  return {
    id,
    type: 'function',
    function: { name, arguments: json },
    ...(content !== undefined && { extra_content: content }),
  };
}

function wireTool({ name, description, parameters }: ToolSpec): WireTool {
  return { type: 'function', function: { name, description, parameters } };
}

/** `auto` is what absence means, and some servers reject the key. */
function wireToolChoice({ toolChoice }: ModelParameters): Pick<WireRequest, 'tool_choice'> {
  return toolChoice && toolChoice !== 'auto' ? { tool_choice: toolChoice } : {};
}

/** OpenAI's own service has another name for the output limit. */
function wireParameters(parameters: ModelParameters, host: WireSettings['host']): Partial<WireRequest> {
  const { temperature, topP, maxOutputTokens, reasoningEffort, seed, stop } = parameters;
  const limit = host === 'openai' ? 'max_completion_tokens' : 'max_tokens';
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxOutputTokens !== undefined && { [limit]: maxOutputTokens }),
    ...(reasoningEffort !== undefined && { reasoning_effort: reasoningEffort }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && stop.length > 0 && { stop }),
  };
}
