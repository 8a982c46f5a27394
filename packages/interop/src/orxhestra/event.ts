import { lazy } from '@varve/events';
import * as z from 'zod';
import { fieldsOf, listOf, type Fields } from '../common/foreign-json.ts';

/** Types of orxhestra events. */
export const eventTypes = ['user_message', 'agent_message', 'tool_response', 'agent_start', 'agent_end'] as const;

// Values of other types are the defaults of the format.
const text = lazy(() => z.string().catch(''));
const nullableText = lazy(() => z.string().nullable().catch(null));
const nullableFlag = lazy(() => z.boolean().nullable().catch(null));
const number = lazy(() => z.number().catch(0));
/** Not a record of Zod, which leaves out `__proto__`. */
const anyFields = lazy(() =>
  z
    .unknown()
    .optional()
    .transform((value): Fields => fieldsOf(value) ?? {}),
);

/** Part of an event's content. */
const part = lazy(() => {
  const metadata = anyFields();
  const call = { tool_call_id: text(), tool_name: text() };
  return z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: text(), metadata }),
    z.object({ type: z.literal('data'), data: anyFields(), metadata }),
    z.object({
      type: z.literal('file'),
      uri: nullableText(),
      /** Base64. */
      inline_bytes: nullableText(),
      mime_type: nullableText(),
      name: nullableText(),
      metadata,
    }),
    z.object({ type: z.literal('thinking'), thinking: text(), metadata }),
    z.object({ type: z.literal('tool_call'), ...call, args: anyFields(), metadata }),
    /** A result, or the text of an error. */
    z.object({ type: z.literal('tool_response'), ...call, result: text(), error: nullableText(), metadata }),
  ]);
});
export type Part = z.output<ReturnType<typeof part>>;

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

/** Side effects of an event. */
const eventActions = lazy(() =>
  z.object({
    /** Merged into the state of the session. */
    state_delta: anyFields(),
    /** Versions of the artifacts that were saved, by file name. */
    artifact_delta: anyFields().transform((versions): Readonly<Record<string, number>> => {
      const numbers = Object.entries(versions).filter(
        (entry): entry is [string, number] => typeof entry[1] === 'number',
      );
      return Object.fromEntries(numbers);
    }),
    transfer_to_agent: nullableText(),
    escalate: nullableFlag(),
    skip_summarization: nullableFlag(),
    end_of_agent: nullableFlag(),
    /** Range of times, in seconds, whose events a summary replaces. Both ends belong to it. */
    compaction: z
      .object({ start_timestamp: number(), end_timestamp: number(), summary: text(), event_count: number() })
      .nullable()
      .catch(null),
  }),
);
export type EventActions = z.output<ReturnType<typeof eventActions>>;

/** Event of orxhestra 0.1, with the keys of its JSON in their order. */
const event = lazy(() =>
  z.object({
    id: text(),
    type: z.enum(eventTypes),
    /** Seconds since 1970. */
    timestamp: number(),
    invocation_id: text(),
    session_id: nullableText(),
    author: text(),
    agent_name: nullableText(),
    branch: text(),
    partial: nullableFlag(),
    turn_complete: z.boolean().catch(true),
    content: z
      .unknown()
      .optional()
      .transform((content) => {
        const { role, parts } = fieldsOf(content) ?? {};
        const known: readonly Part[] = listOf(parts).flatMap((each) => part().safeParse(each).data ?? []);
        return { role: typeof role === 'string' ? role : null, parts: known };
      }),
    actions: eventActions().catch(noActions),
    /** `react_step`, `error`, `exception_type`, `scratchpad` and other notes. */
    metadata: anyFields(),
    /** Reply of the model: `text`, `model_version`, `input_tokens`, `output_tokens`, … */
    llm_response: z
      .unknown()
      .optional()
      .transform((reply) => fieldsOf(reply) ?? null),
    /** Ed25519 signature, base64url with padding. */
    signature: nullableText(),
    signer_did: text(),
    /** Signature of the last event that is not partial on the same branch. */
    prev_signature: nullableText(),
  }),
);
export type Event = z.output<ReturnType<typeof event>>;

const defaults = lazy(() => event().parse({ type: 'user_message' }));

/** Creates an event with the defaults of the format. */
export function newEvent(fields: Pick<Event, 'id' | 'type' | 'timestamp'> & Partial<Event>): Event {
  return { ...defaults(), ...fields };
}

/** Returns a text part. */
export function textPart(content: string): Part {
  return { type: 'text', text: content, metadata: {} };
}

/** Returns a data part. */
export function dataPart(data: Fields): Part {
  return { type: 'data', data, metadata: {} };
}

/** Returns the JSON of an event as an event; undefined for other JSON. Fields of the wrong type have their defaults. */
export function eventOf(json: unknown): Event | undefined {
  return event().safeParse(json).data;
}
