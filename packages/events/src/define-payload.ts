import { z } from 'zod';
import { contentList, isContent, type Content } from './content.ts';
import { describeInvalid, EventError } from './error.ts';
import { deepFreeze, type Immutable } from './immutable.ts';
import { jsonProblem } from './json.ts';
import { lenientReader, withReadRepair } from './lenient.ts';

/** What an action asks for, or what an observation brings back: any JSON object with a `kind`. */
export type Payload = { readonly kind: string; readonly [field: string]: unknown };

/** What every observation has: content for the model and whether the tool failed. */
export type Observation = Payload & { readonly content: readonly Content[]; readonly is_error: boolean };

/** Any payload, passed through untouched: events carry payloads of kinds this program may not know. */
export const anyPayload = z.custom<Payload>(isPayload, 'expected an object with a kind');

const readContent = lenientReader(contentList);

/** Any observation; when read, absent content is empty and a bare string is one text block. */
export const anyObservation = withReadRepair(
  z.custom<Observation>(
    (value) => isPayload(value) && isContentList(value['content']) && typeof value['is_error'] === 'boolean',
    'expected an object with content blocks, is_error and kind',
  ),
  (raw) => {
    if (!isPayload(raw)) return raw;
    const content = readContent(raw['content']);
    // Content that cannot be read stays as it is: the check then rejects the event, and its text is kept.
    if (!content.success) return raw;
    const { content: _content, is_error: isError, ...rest } = raw;
    return { content: content.data, is_error: isError ?? false, ...rest };
  },
);

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}

function isContentList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isContent);
}

type Shape = z.ZodRawShape;
/** The payloads of a kind. */
type PayloadOf<Kind extends string, Fields extends Shape> = Immutable<z.output<z.ZodObject<Fields>>> & {
  readonly kind: Kind;
};

/** One kind of payload: its fields in wire order, and how to make and recognise one. */
export interface PayloadDefinition<Kind extends string, Fields extends Shape> {
  readonly kind: Kind;
  /** The fields without `kind`, strict: what a model fills in, or a tool returns. */
  readonly fields: z.ZodObject<Fields, z.core.$strict>;
  /** @throws {EventError} `invalid` naming the first field that is wrong. */
  create(fields: Immutable<z.input<z.ZodObject<Fields>>>): PayloadOf<Kind, Fields>;
  /**
   * The payload as its fields say, defaults filled in and nulls left out; unknown fields are kept. Undefined when it is of
   * another kind, or breaks its fields: a log may hold any JSON.
   */
  read(payload: Payload | undefined): PayloadOf<Kind, Fields> | undefined;
  /** Narrows by `kind` alone; a payload read from a log was not checked against the fields: see `read`. */
  is(payload: Payload | undefined): payload is PayloadOf<Kind, Fields> & Payload;
}

/** Defines an action payload, for instance `TerminalAction`. `kind` is written last. */
export function defineAction<Kind extends string, Fields extends Shape>(
  kind: Kind,
  shape: Fields,
): PayloadDefinition<Kind, Fields> {
  const fields = z.strictObject(shape);
  const reader = lenientReader(fields);
  return {
    kind,
    fields,
    create: (values) => createPayload(kind, fields, values),
    read(payload) {
      if (payload?.kind !== kind) return undefined;
      const { kind: _kind, ...own } = payload;
      const result = reader(own);
      return result.success ? ({ ...result.data, kind } as PayloadOf<Kind, Fields>) : undefined;
    },
    is: (payload): payload is PayloadOf<Kind, Fields> & Payload => payload?.kind === kind,
  };
}

const observationFields = { content: contentList.default([]), is_error: z.boolean().default(false) };
type ObservationFields<Fields extends Shape> = typeof observationFields & Fields;

/** An observation kind, and what the model reads of it. */
export interface ObservationDefinition<Kind extends string, Fields extends Shape> extends PayloadDefinition<
  Kind,
  ObservationFields<Fields>
> {
  /** The content blocks for the model. Must be pure and total: it also runs on payloads that were only read. */
  present(observation: Observation): readonly Content[];
}

/** Defines an observation payload: `content` and `is_error` first, own fields, `kind` last. */
export function defineObservation<Kind extends string, Fields extends Shape>(
  kind: Kind,
  shape: Fields,
  present: (observation: Observation) => readonly Content[] = ({ content }) => content,
): ObservationDefinition<Kind, Fields> {
  return { ...defineAction(kind, { ...observationFields, ...shape }), present };
}

/** A payload that could be made must also fit into an event. */
const levelsAroundPayload = 8;

function createPayload<Kind extends string, Fields extends Shape>(
  kind: Kind,
  fields: z.ZodObject<Fields, z.core.$strict>,
  values: unknown,
): PayloadOf<Kind, Fields> {
  const problem = jsonProblem(values, levelsAroundPayload);
  if (problem) throw new EventError('invalid', `${kind} is not valid: it ${problem}.`);
  const result = fields.safeParse(values);
  if (!result.success) throw new EventError('invalid', describeInvalid(kind, result.error), { cause: result.error });
  return deepFreeze({ ...result.data, kind }) as PayloadOf<Kind, Fields>;
}
