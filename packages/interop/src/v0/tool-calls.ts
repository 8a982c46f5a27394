import { textOf, type ToolCall, type Content } from '@varve/events';
import type { Call } from '@varve/events/facts';
import type { ActionEvent } from '@varve/events/kinds';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';

/** Event of OpenHands V0 as its JSON: an object with `action` or `observation`. */
export type V0Record = Fields;

/** Order of the keys of a record. @see OpenHands events/serialization/event.py */
const keyOrder =
  'id timestamp source message cause action observation tool_call_metadata llm_metrics args timeout content extras success';
const orderOf = new Map(keyOrder.split(' ').map((key, index) => [key, index]));

/** Returns a record with its keys in the order of the format, unknown keys last, and without undefined values. */
export function inKeyOrder(record: V0Record): V0Record {
  const keys = Object.keys(record).filter((key) => record[key] !== undefined);
  const sorted = keys.toSorted((a, b) => (orderOf.get(a) ?? Infinity) - (orderOf.get(b) ?? Infinity) || 0);
  return Object.fromEntries(sorted.map((key) => [key, record[key]]));
}

/** Returns the name of the action or observation of a record; an action takes precedence. */
export function typeOf(record: V0Record): { readonly action?: string; readonly observation?: string } {
  const { action, observation } = record;
  if (typeof action === 'string') return { action };
  return typeof observation === 'string' ? { observation } : {};
}

/** Returns the images of content, or null if there are none. */
export function imagesOf(content: readonly Content[]): readonly string[] | null {
  const urls = content.flatMap((block) => (block.type === 'image' ? block.image_urls : []));
  return urls.length > 0 ? urls : null;
}

/** Mark in a `model_response` that was rebuilt from the log, because the log does not contain the response itself. */
export const rebuiltMark = 'varve_rebuilt';

/** Call of a V0 action, from its metadata. */
interface ForeignCall {
  readonly toolName: string;
  readonly toolCall: ToolCall;
  readonly responseId: string;
  /** Text that the model wrote next to its calls. */
  readonly content?: string;
  /** True for the first call of its response. */
  readonly isFirst: boolean;
}

/** Returns the call in the metadata of a V0 action; undefined without metadata. */
export function foreignCallOf({ tool_call_metadata: metadata }: V0Record): ForeignCall | undefined {
  const { tool_call_id: id, function_name: name, model_response: response } = fieldsOf(metadata) ?? {};
  if (typeof id !== 'string' || typeof name !== 'string') return undefined;
  const message = messageOf(response);
  const calls = Array.isArray(message?.['tool_calls']) ? message['tool_calls'].map(fieldsOf) : [];
  const index = calls.findIndex((call) => call?.['id'] === id);
  const named = fieldsOf(calls[index]?.['function']);
  const written = named?.['arguments'];
  const content = stringOf(message?.['content']);
  return {
    toolName: name,
    toolCall: {
      id,
      name: stringOf(named?.['name']) ?? name,
      arguments: typeof written === 'string' ? written : JSON.stringify(written ?? {}),
      origin: 'completion',
    },
    responseId: stringOf(fieldsOf(response)?.['id']) ?? '',
    ...(content !== undefined && { content }),
    isFirst: index <= 0,
  };
}

/** Returns the message of a chat completion. */
function messageOf(response: unknown): Fields | undefined {
  const choices = fieldsOf(response)?.['choices'];
  return Array.isArray(choices) ? fieldsOf(fieldsOf(choices[0])?.['message']) : undefined;
}

/** A reply of the model, as far as the log contains it. */
export interface LoggedReply {
  /** Calls of the reply in order. */
  readonly actions: readonly ActionEvent[];
  readonly model?: string;
  /** Its fact, for replies to varve. */
  readonly call?: Call;
}

/**
 * Most calls of one rebuilt response, which every record of a call repeats: more calls than any provider returns at
 * once would let the size of an export grow with the square of their number.
 */
const maxCalls = 128;

/**
 * Returns the metadata of a call, with a response that is rebuilt from the log and marked as such. Each further 128
 * calls of a reply are a response of their own.
 */
export function rebuiltMetadata(event: ActionEvent, reply: LoggedReply): Fields {
  const { tool_name, tool_call_id, llm_response_id } = event;
  const { model = 'unknown', call } = reply;
  const index = reply.actions.length > maxCalls ? reply.actions.indexOf(event) : 0;
  const part = Math.floor(Math.max(0, index) / maxCalls);
  const actions = reply.actions.slice(part * maxCalls, (part + 1) * maxCalls);
  const content = textOf(actions.flatMap(({ thought }) => thought));
  const tool_calls = actions.map(({ tool_call: { id, name, arguments: written } }) => ({
    function: { arguments: written, name },
    id,
    type: 'function',
  }));
  return {
    function_name: tool_name,
    tool_call_id,
    model_response: {
      id: part === 0 ? llm_response_id : `${llm_response_id}/${part + 1}`,
      ...(call && { created: Math.floor(call.at / 1000) }),
      model: call?.model ?? model,
      object: 'chat.completion',
      choices: [
        {
          finish_reason: 'tool_calls',
          index: 0,
          message: { content: content === '' ? null : content, role: 'assistant', tool_calls },
        },
      ],
      ...(call?.usage && { usage: usageOf(call.usage) }),
      [rebuiltMark]: true,
    },
    total_calls_in_response: actions.length,
  };
}

function usageOf({ input_tokens, output_tokens, cache_read_tokens }: NonNullable<Call['usage']>): Fields {
  return {
    completion_tokens: output_tokens,
    prompt_tokens: input_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_tokens },
  };
}
