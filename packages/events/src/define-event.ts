import { z } from 'zod';
import { EventError, describeInvalid } from './error.ts';
import { deepFreeze, type Immutable } from './immutable.ts';
import { jsonProblem } from './json.ts';
import { lenientReader, withFallback } from './lenient.ts';
import type { Message } from './message.ts';

/** Who caused an event. */
export const eventSource = withFallback(z.enum(['agent', 'user', 'environment', 'hook']), 'environment');
export type EventSource = z.output<typeof eventSource>;

/** What every event has, whatever its kind. Order is never in here: it is the seq in the log. */
export interface BaseEvent {
  readonly id: string;
  /** Local time without zone, microseconds: `2026-01-01T12:00:00.123456`. */
  readonly timestamp: string;
  readonly source: EventSource;
  /** The event this one follows in the tree; `__root__` starts a second tree; absent on the first and on old logs. */
  readonly parent_id?: string;
  readonly kind: string;
}

/** The parts of an event that its author cannot know: they come from the one who appends. */
export type Stamp = Pick<BaseEvent, 'id' | 'timestamp' | 'parent_id'>;

type Shape = z.ZodRawShape;
/** The events of a kind. */
type EventOf<Kind extends string, Fields extends Shape> = BaseEvent &
  Immutable<z.output<z.ZodObject<Fields>>> & { readonly kind: Kind };

/** What a codec needs to know of a kind; {@link defineEvent} makes one. */
export interface EventKind {
  readonly kind: string;
  /** Whether appending one moves the head of the tree. Only state updates do not. */
  readonly movesHead: boolean;
  /** Whether projections of one branch see those of all branches: it names the events that it is about. */
  readonly isOnEveryBranch: boolean;
  /** Whether it can appear in a view. */
  readonly isForModel: boolean;
  /** @throws {EventError} `invalid` when declared fields are missing or of the wrong type; unknown fields are kept. */
  read(json: object): BaseEvent;
  /** What the model reads, for kinds that stand alone. Must be pure and total; absent where the view composes it. */
  toMessage?(event: BaseEvent): Message;
}

/** A kind of event: how to make one, recognise one and read one. */
export interface EventDefinition<Kind extends string, Fields extends Shape> extends EventKind {
  readonly kind: Kind;
  /** The own fields in wire order, as they were given. */
  readonly fields: Fields;
  /**
   * Makes a validated, deeply frozen event with its fields in wire order. `source` may be left out where the kind has one.
   * Payloads and free values are not copied: they belong to the event from here on, and are frozen with it.
   *
   * @throws {EventError} `invalid` naming the first field that is wrong, or why the event cannot be JSON.
   */
  create(
    fields: Immutable<z.input<z.ZodObject<Fields>>> & { readonly source?: EventSource },
    stamp: Stamp,
  ): EventOf<Kind, Fields>;
  is(event: BaseEvent): event is EventOf<Kind, Fields>;
}

/** What makes a kind of event. */
export interface EventOptions<Kind extends string, Fields extends Shape> {
  /** The source of events whose author gives none; without it each author must. */
  readonly source?: EventSource;
  /** Own fields in wire order, between `parent_id` and `kind`; optional ones are `z.exactOptional`. */
  readonly fields: Fields;
  /** Default true: the event is a step of the branch. Who does not know the kind takes it for one in any case. */
  readonly movesHead?: boolean;
  /** Default: whether it never moves the head. */
  readonly isOnEveryBranch?: boolean;
  /** Default: whether `toMessage` is given. */
  readonly isForModel?: boolean;
  /** Makes the event stand in the view as this message. Must be pure and total: a read event may lack what is new. */
  readonly toMessage?: (event: EventOf<Kind, Fields>) => Message;
}

const strictStamp = {
  id: z.string().regex(/^[0-9a-fA-F-]{8,}$/, 'an id is at least 8 hex digits or dashes'),
  timestamp: z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/, 'a timestamp is local time with microseconds'),
};
const baseFields = new Set(['id', 'timestamp', 'source', 'parent_id', 'kind']);
const readStamp = { id: z.string().min(1), timestamp: z.string() };

/**
 * Defines a kind of event: one file, one line in `kinds.ts`. Creating is strict, reading is lossless. A kind of your own is
 * given to `eventCodec` instead of that line. The name `OpaqueEvent`, and fields named like those of {@link BaseEvent},
 * are taken: a `TypeError`.
 *
 * @see software-agent-sdk 1.43.1 event JSON: base fields first, `kind` last, absent fields omitted.
 */
export function defineEvent<Kind extends string, Fields extends Shape>(
  kind: Kind,
  options: EventOptions<Kind, Fields>,
): EventDefinition<Kind, Fields> {
  const { source, fields, movesHead = true, isOnEveryBranch = !movesHead, toMessage } = options;
  const taken = Object.keys(fields).find((field) => baseFields.has(field));
  if (taken !== undefined) throw new TypeError(`${kind} cannot have a field of its own that is called ${taken}.`);
  if (kind === 'OpaqueEvent') throw new TypeError('No kind of event can be called OpaqueEvent.');
  const sourceField = source ? eventSource.default(source) : eventSource;
  const shapeWith = (stamp: Shape): Shape => ({
    ...stamp,
    source: sourceField,
    parent_id: z.exactOptional(z.string()),
    ...fields,
    kind: z.literal(kind),
  });
  const strict = z.strictObject(shapeWith(strictStamp));
  const reader = lenientReader(z.strictObject(shapeWith(readStamp)));
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
    fields,
    create(values: object, stamp) {
      const problem = jsonProblem(values);
      if (problem) throw new EventError('invalid', `${kind} is not valid: it ${problem}.`);
      return deepFreeze(checked(strict.safeParse({ ...values, ...stamp, kind }))) as EventOf<Kind, Fields>;
    },
    read: (json) => checked(reader(json)),
    is,
    ...(toMessage && { toMessage: (event: BaseEvent) => toMessage(event as EventOf<Kind, Fields>) }),
  };
}
