import { fieldsOf, listOf, stringOf, type Fields } from '../common/foreign-json.ts';

/** Types of orxhestra events. */
export const eventTypes = ['user_message', 'agent_message', 'tool_response', 'agent_start', 'agent_end'] as const;

/** Part of an event's content. Every part has `metadata`. */
export type Part =
  | { readonly type: 'text'; readonly text: string; readonly metadata: Fields }
  | { readonly type: 'data'; readonly data: Fields; readonly metadata: Fields }
  | {
      readonly type: 'file';
      readonly uri: string | null;
      /** Base64. */
      readonly inline_bytes: string | null;
      readonly mime_type: string | null;
      readonly name: string | null;
      readonly metadata: Fields;
    }
  | { readonly type: 'thinking'; readonly thinking: string; readonly metadata: Fields }
  | ToolCallPart
  | ToolResponsePart;

/** Call of a tool. */
export interface ToolCallPart {
  readonly type: 'tool_call';
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly args: Fields;
  readonly metadata: Fields;
}

/** Result of a call: a result, or the text of an error. */
export interface ToolResponsePart {
  readonly type: 'tool_response';
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly result: string;
  readonly error: string | null;
  readonly metadata: Fields;
}

/** Range of times, in seconds, whose events a summary replaces. Both ends belong to it. */
export interface Compaction {
  readonly start_timestamp: number;
  readonly end_timestamp: number;
  readonly summary: string;
  readonly event_count: number;
}

/** Side effects of an event. */
export interface EventActions {
  /** Merged into the state of the session. */
  readonly state_delta: Fields;
  /** Versions of the artifacts that were saved, by file name. */
  readonly artifact_delta: Readonly<Record<string, number>>;
  readonly transfer_to_agent: string | null;
  readonly escalate: boolean | null;
  readonly skip_summarization: boolean | null;
  readonly end_of_agent: boolean | null;
  readonly compaction: Compaction | null;
}

/** Event of orxhestra 0.1, with the keys of its JSON in their order. */
export interface Event {
  readonly id: string;
  readonly type: (typeof eventTypes)[number];
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly invocation_id: string;
  readonly session_id: string | null;
  readonly author: string;
  readonly agent_name: string | null;
  readonly branch: string;
  readonly partial: boolean | null;
  readonly turn_complete: boolean;
  readonly content: { readonly role: string | null; readonly parts: readonly Part[] };
  readonly actions: EventActions;
  /** `react_step`, `error`, `exception_type`, `scratchpad` and other notes. */
  readonly metadata: Fields;
  /** Reply of the model: `text`, `model_version`, `input_tokens`, `output_tokens`, … */
  readonly llm_response: Fields | null;
  /** Ed25519 signature, base64url with padding. */
  readonly signature: string | null;
  readonly signer_did: string;
  /** Signature of the last event that is not partial on the same branch. */
  readonly prev_signature: string | null;
}

/** Actions without an effect. */
export const noActions: EventActions = {
  state_delta: {},
  artifact_delta: {},
  transfer_to_agent: null,
  escalate: null,
  skip_summarization: null,
  end_of_agent: null,
  compaction: null,
};

const defaults: Omit<Event, 'id' | 'type' | 'timestamp'> = {
  invocation_id: '',
  session_id: null,
  author: '',
  agent_name: null,
  branch: '',
  partial: null,
  turn_complete: true,
  content: { role: null, parts: [] },
  actions: noActions,
  metadata: {},
  llm_response: null,
  signature: null,
  signer_did: '',
  prev_signature: null,
};

/** Creates an event with the defaults of the format. */
export function newEvent(fields: Pick<Event, 'id' | 'type' | 'timestamp'> & Partial<Event>): Event {
  const { id, type, timestamp, ...rest } = fields;
  return { id, type, timestamp, ...defaults, ...rest };
}

/** Returns a text part. */
export function textPart(text: string): Part {
  return { type: 'text', text, metadata: {} };
}

/** Returns a data part. */
export function dataPart(data: Fields): Part {
  return { type: 'data', data, metadata: {} };
}

/** Returns the JSON of an event as an event; undefined for other JSON. Fields of the wrong type have their defaults. */
export function eventOf(json: unknown): Event | undefined {
  const fields = fieldsOf(json);
  const type = eventTypes.find((eventType) => eventType === fields?.['type']);
  if (!fields || !type) return undefined;
  const known = Object.entries(defaults).filter(([key, value]) =>
    isLike(fields[key], key === 'partial' ? false : (value ?? '')),
  );
  const content = fieldsOf(fields['content']);
  return newEvent({
    id: stringOf(fields['id']) ?? '',
    type,
    timestamp: typeof fields['timestamp'] === 'number' ? fields['timestamp'] : 0,
    ...(Object.fromEntries(known.map(([key]) => [key, fields[key]])) as Partial<Event>),
    content: { role: stringOf(content?.['role']) ?? null, parts: partsOf(content?.['parts']) },
    actions: actionsOf(fieldsOf(fields['actions']) ?? {}),
    metadata: fieldsOf(fields['metadata']) ?? {},
    llm_response: fieldsOf(fields['llm_response']) ?? null,
  });
}

/** Returns true for a scalar of the same type as an example. */
function isLike(value: unknown, example: unknown): boolean {
  return typeof value === typeof example && typeof value !== 'object';
}

function partsOf(parts: unknown): readonly Part[] {
  return listOf(parts).flatMap((part) => partOf(fieldsOf(part) ?? {}) ?? []);
}

function partOf(fields: Fields): Part | undefined {
  const metadata = fieldsOf(fields['metadata']) ?? {};
  const text = (key: string): string => stringOf(fields[key]) ?? '';
  const nullable = (key: string): string | null => stringOf(fields[key]) ?? null;
  const call = { tool_call_id: text('tool_call_id'), tool_name: text('tool_name') };
  switch (fields['type']) {
    case 'text':
      return { type: 'text', text: text('text'), metadata };
    case 'thinking':
      return { type: 'thinking', thinking: text('thinking'), metadata };
    case 'data':
      return { type: 'data', data: fieldsOf(fields['data']) ?? {}, metadata };
    case 'tool_call':
      return { type: 'tool_call', ...call, args: fieldsOf(fields['args']) ?? {}, metadata };
    case 'tool_response':
      return { type: 'tool_response', ...call, result: text('result'), error: nullable('error'), metadata };
    case 'file': {
      const source = { uri: nullable('uri'), inline_bytes: nullable('inline_bytes') };
      return { type: 'file', ...source, mime_type: nullable('mime_type'), name: nullable('name'), metadata };
    }
    default:
      return undefined;
  }
}

function actionsOf(fields: Fields): EventActions {
  const flag = (key: string): boolean | null => (typeof fields[key] === 'boolean' ? fields[key] : null);
  const versions = Object.entries(fieldsOf(fields['artifact_delta']) ?? {});
  const numbers = versions.filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return {
    state_delta: fieldsOf(fields['state_delta']) ?? {},
    artifact_delta: Object.fromEntries(numbers),
    transfer_to_agent: stringOf(fields['transfer_to_agent']) ?? null,
    escalate: flag('escalate'),
    skip_summarization: flag('skip_summarization'),
    end_of_agent: flag('end_of_agent'),
    compaction: compactionOf(fieldsOf(fields['compaction'])),
  };
}

function compactionOf(fields: Fields | undefined): Compaction | null {
  if (!fields) return null;
  const { start_timestamp: start, end_timestamp: end, summary, event_count: count } = fields;
  return {
    start_timestamp: typeof start === 'number' ? start : 0,
    end_timestamp: typeof end === 'number' ? end : 0,
    summary: stringOf(summary) ?? '',
    event_count: typeof count === 'number' ? count : 0,
  };
}
