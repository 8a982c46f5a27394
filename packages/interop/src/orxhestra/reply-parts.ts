import type { Message } from '@varve/events';
import type { Call } from '@varve/events/facts';
import type { ActionEvent, MessageEvent } from '@varve/events/kinds';
import { parseJson } from '@varve/text';
import { fieldsOf, type Fields } from '../common/foreign-json.ts';
import { textPart, type Event, type Part } from './event.ts';

/** Returns the parts of a message: thinking, texts and images. */
export function messageParts({ llm_message, extended_content }: MessageEvent): readonly Part[] {
  const { content } = llm_message;
  return [
    ...thinkingParts(llm_message),
    ...[...content, ...extended_content].flatMap((block): readonly Part[] =>
      block.type === 'text' ? [textPart(block.text)] : block.image_urls.map(imagePart),
    ),
  ];
}

/** Returns the readable thinking of a reply as parts. */
export function thinkingParts(reply: Pick<Message, 'thinking_blocks' | 'reasoning_content'>): readonly Part[] {
  const { reasoning_content: reasoning = '', thinking_blocks: blocks } = reply;
  const thoughts = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []));
  const texts = thoughts.length > 0 ? thoughts : [reasoning];
  return texts.filter(Boolean).map((thinking) => ({ type: 'thinking', thinking, metadata: {} }));
}

/** Returns a call as a part. Arguments that are not an object stay in its metadata as text. */
export function callPart({ tool_call_id, tool_name, tool_call, summary, security_risk: risk }: ActionEvent): Part {
  const args = fieldsOf(parseJson(tool_call.arguments));
  const metadata = {
    ...(args === undefined && { arguments: tool_call.arguments }),
    ...(summary !== undefined && { summary }),
    ...(risk !== 'UNKNOWN' && { security_risk: risk }),
  };
  return { type: 'tool_call', tool_call_id, tool_name, args: args ?? {}, metadata };
}

/** Returns the `llm_response` of a reply to varve; undefined for imported replies. */
export function replyOf(call: Call | undefined, parts: readonly Part[]): Fields | undefined {
  if (!call) return undefined;
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const calls = parts.flatMap((part) =>
    part.type === 'tool_call' ? [{ id: part.tool_call_id, name: part.tool_name, args: part.args }] : [],
  );
  return {
    text: texts.join(''),
    model_version: call.model,
    input_tokens: call.usage?.input_tokens ?? 0,
    output_tokens: call.usage?.output_tokens ?? 0,
    tool_calls: calls,
    partial: false,
    raw_message: null,
  };
}

/** Returns the field of an event for a reply that the log has a record of. */
export function withReply(reply: Fields | undefined): Partial<Event> {
  return reply ? { llm_response: reply } : {};
}

function imagePart(url: string): Part {
  const [, mime = null, data = null] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  const source = { uri: data === null ? url : null, inline_bytes: data, mime_type: mime };
  return { type: 'file', ...source, name: null, metadata: {} };
}
