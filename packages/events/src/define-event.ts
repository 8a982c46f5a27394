import * as z from 'zod';
import { lazy } from './lazy.ts';
import { EventError, describeInvalid } from './error.ts';
import { deepFreeze, type Immutable } from './immutable.ts';
import { jsonProblem } from './json.ts';
import { lenientReader, withFallback } from './lenient.ts';
import type { Message } from './message.ts';

/** Cause of an event. */
export const eventSource = lazy(() => withFallback(z.enum(['agent', 'user', 'environment', 'hook']), 'environment'));
export type EventSource = z.output<ReturnType<typeof eventSource>>;

/** Fields of every event. The order of events is not part of them: it is the seq in the log. */
export interface BaseEvent {
  readonly id: string;
  /** Local time without zone, microseconds: `2026-01-01T12:00:00.123456`. */
  readonly timestamp: string;
  readonly source: EventSource;
  /** Parent in the event tree. `__root__` starts a second tree; absent on the first event and in old logs. */
  readonly parent_id?: string;
  readonly kind: string;
}

/** Fields of an event that its author cannot know. The process that appends the event sets them. */
export type Stamp = Pick<BaseEvent, 'id' | 'timestamp' | 'parent_id'>;

type Shape = z.ZodRawShape;
/** Events of a kind. */
type EventOf<Kind extends string, Fields extends Shape> = BaseEvent &
  Immutable<z.output<z.ZodObject<Fields>>> & { readonly kind: Kind };

/** Kind of event, as a codec uses it. Created by {@link defineEvent}. */
export interface EventKind {
  readonly kind: string;
  /** True if appending an event of the kind moves the head of the tree. False only for state updates. */
  readonly movesHead: boolean;
  /**
   * True if projections of one branch receive events of the kind from all branches. Such events name their subjects.
   */
  readonly isOnEveryBranch: boolean;
  /** True if events of the kind can appear in a view. */
  readonly isForModel: boolean;
  /** @throws {EventError} `invalid` when declared fields are missing or of the wrong type; unknown fields are kept. */
  read(json: object): BaseEvent;
  /** Message for the model, for kinds that are one message each. Must be pure and total. */
  toMessage?(event: BaseEvent): Message;
}

/** Definition of a kind: creates, recognises and reads its events. */
export interface EventDefinition<Kind extends string, Fields extends Shape> extends EventKind {
  readonly kind: Kind;
  /** Own fields in wire order. */
  readonly fields: Fields;
  /**
   * Creates a validated, deeply frozen event with its fields in wire order. `source` is optional if the kind has a
   * default. Payloads and free values are not copied: the event owns them, and they are frozen with it.
   *
   * @throws {EventError} `invalid`, naming the first invalid field or the value that JSON cannot represent.
   */
  create(
    fields: Immutable<z.input<z.ZodObject<Fields>>> & { readonly source?: EventSource },
    stamp: Stamp,
  ): EventOf<Kind, Fields>;
  is(event: BaseEvent): event is EventOf<Kind, Fields>;
}

/** Options of {@link defineEvent}. */
export interface EventOptions<Kind extends string, Fields extends Shape> {
  /** Default source. Without it, `create` requires one. */
  readonly source?: EventSource;
  /**
   * Returns the own fields in wire order, between `parent_id` and `kind`; optional ones are `z.exactOptional`. It is
   * called on first use.
   */
  readonly fields: () => Fields;
  /** Default true: the event is a step of the branch. Readers that do not know the kind always treat it as one. */
  readonly movesHead?: boolean;
  /** Default: true for kinds that do not move the head. */
  readonly isOnEveryBranch?: boolean;
  /** Default: true for kinds with `toMessage`. */
  readonly isForModel?: boolean;
  /** Message for the model. Must be pure and total: an event that was read may lack new fields. */
  readonly toMessage?: (event: EventOf<Kind, Fields>) => Message;
}

const strictStamp = lazy(() => ({
  id: z
    .string('a stamp is needed, with an id and a timestamp')
    .regex(/^[0-9a-fA-F-]{8,}$/, 'an id is at least 8 hex digits or dashes'),
  timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/, 'a timestamp is local time with microseconds'),
}));
const baseFields = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const readStamp = lazy(() => ({ id: z.string().min(1), timestamp: z.string() }));

/**
 * Defines a kind of event. Creating is strict, reading is lossless. Built-in kinds are listed in `builtin-kinds.ts`;
 * custom kinds are passed to `eventCodec`.
 *
 * @throws {TypeError} for the reserved name `OpaqueEvent`. On first use, for fields named like those of
 * {@link BaseEvent}.
 * @see software-agent-sdk 1.43.1 event JSON: base fields first, `kind` last, absent fields omitted.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineEvent<Kind extends string, Fields extends Shape>(
  kind: Kind,
  options: EventOptions<Kind, Fields>,
): EventDefinition<Kind, Fields> {
  const { source, movesHead = true, isOnEveryBranch = !movesHead, toMessage } = options;
  if (kind === 'OpaqueEvent') throw new TypeError('The kind name OpaqueEvent is reserved.');
  const fields = lazy(() => checkedFields(kind, options.fields()));
  const shapeWith = (stamp: Shape): Shape => ({
    ...stamp,
    source: source ? eventSource().default(source) : eventSource(),
    parent_id: z.exactOptional(z.string()),
    ...fields(),
    kind: z.literal(kind),
  });
  const strict = lazy(() => z.strictObject(shapeWith(strictStamp())));
  const reader = lenientReader(() => z.strictObject(shapeWith(readStamp())));
  const is = (event: BaseEvent): event is EventOf<Kind, Fields> => event.kind === kind;
  const checked = (result: z.ZodSafeParseResult<unknown>): EventOf<Kind, Fields> => {
    if (!result.success) throw new EventError('invalid', describeInvalid(kind, result.error), { cause: result.error });
    return result.data as EventOf<Kind, Fields>;
  };
  return {
    kind,
    movesHead,
    isOnEveryBranch,
    isForModel: options.isForModel ?? toMessage !== undefined,
    get fields() {
      return fields();
    },
    create(values: object, stamp) {
      const problem = jsonProblem(values);
      if (problem) throw new EventError('invalid', `${kind} is not valid: it ${problem}.`);
      return deepFreeze(checked(strict().safeParse({ ...values, ...stamp, kind }))) as EventOf<Kind, Fields>;
    },
    read: (json) => checked(reader(json)),
    is,
    ...(toMessage && { toMessage: (event: BaseEvent) => toMessage(event as EventOf<Kind, Fields>) }),
  };
}

function checkedFields<Fields extends Shape>(kind: string, fields: Fields): Fields {
  const reserved = Object.keys(fields).find((field) => baseFields.has(field));
  if (reserved !== undefined) throw new TypeError(`${kind} cannot define the reserved field ${reserved}.`);
  return fields;
}
