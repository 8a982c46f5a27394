import * as z from 'zod';
import { lazy } from './lazy.ts';
import { contentList, isContent, type Content } from './content.ts';
import { describeInvalid, EventError } from './error.ts';
import { deepFreeze, type Immutable } from './immutable.ts';
import { jsonProblem } from './json.ts';
import { lenientReader, withReadRepair } from './lenient.ts';

/** Arguments of an action or result of an observation: any JSON object with a `kind`. */
export type Payload = { readonly kind: string; readonly [field: string]: unknown };

/** Payload of an observation: content for the model, and whether the tool failed. */
export type Observation = Payload & { readonly content: readonly Content[]; readonly is_error: boolean };

/** Any payload, unchanged: events may contain payloads of unknown kinds. */
export const anyPayload = lazy(() => z.custom<Payload>(isPayload, 'expected an object with a kind'));

const readContent = lenientReader(contentList);

/** Any observation. When read, absent content becomes empty, and a bare string becomes one text block. */
export const anyObservation = lazy(() =>
  withReadRepair(
    z.custom<Observation>(
      (value) => isPayload(value) && isContentList(value['content']) && typeof value['is_error'] === 'boolean',
      'expected an object with content blocks, is_error and kind',
    ),
    (raw) => {
      if (!isPayload(raw)) return raw;
      const content = readContent(raw['content']);
      // Unreadable content is left for the check, which rejects the event and so keeps its text.
      if (!content.success) return raw;
      const { content: _content, is_error: isError, ...rest } = raw;
      return { content: content.data, is_error: isError ?? false, ...rest };
    },
  ),
);

function isPayload(value: unknown): value is Payload {
  return typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
}

function isContentList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isContent);
}

type Shape = z.ZodRawShape;
/** Payloads of a kind. */
type PayloadOf<Kind extends string, Fields extends Shape> = Immutable<z.output<z.ZodObject<Fields>>> & {
  readonly kind: Kind;
};

/** Definition of a payload: creates, recognises and reads payloads of a kind. */
export interface PayloadDefinition<Kind extends string, Fields extends Shape> {
  readonly kind: Kind;
  /** Fields in wire order without `kind`, strict: the input of a tool, or its result. */
  readonly fields: z.ZodObject<Fields, z.core.$strict>;
  /** @throws {EventError} `invalid`, naming the first invalid field. */
  create(fields: Immutable<z.input<z.ZodObject<Fields>>>): PayloadOf<Kind, Fields>;
  /**
   * Returns the payload with defaults set and nulls removed; unknown fields are kept. Returns undefined for a payload
   * of another kind or with invalid fields: a log may contain any JSON.
   */
  read(payload: Payload | undefined): PayloadOf<Kind, Fields> | undefined;
  /** Narrows by `kind` only. Fields of a payload from a log are unchecked: use `read`. */
  is(payload: Payload | undefined): payload is PayloadOf<Kind, Fields> & Payload;
}

/**
 * Defines the payload of an action, for instance `TerminalAction`. `kind` is written last, and `shape` is called on
 * first use.
 */
/* @__NO_SIDE_EFFECTS__ */
export function defineAction<Kind extends string, Fields extends Shape>(
  kind: Kind,
  shape: () => Fields,
): PayloadDefinition<Kind, Fields> {
  const fields = lazy(() => z.strictObject(shape()));
  const reader = lenientReader(fields);
  return {
    kind,
    get fields() {
      return fields();
    },
    create: (values) => createPayload(kind, fields(), values),
    read(payload) {
      if (payload?.kind !== kind) return undefined;
      const { kind: _kind, ...values } = payload;
      const result = reader(values);
      return result.success ? ({ ...result.data, kind } as PayloadOf<Kind, Fields>) : undefined;
    },
    is: (payload): payload is PayloadOf<Kind, Fields> & Payload => payload?.kind === kind,
  };
}

const observationFields = lazy(() => ({ content: contentList().default([]), is_error: z.boolean().default(false) }));
type ObservationFields<Fields extends Shape> = ReturnType<typeof observationFields> & Fields;

/** Definition of the payload of an observation, with its content for the model. */
export interface ObservationDefinition<Kind extends string, Fields extends Shape> extends PayloadDefinition<
  Kind,
  ObservationFields<Fields>
> {
  /** Returns the content blocks for the model. Must be pure and total: it also receives unchecked payloads. */
  present(observation: Observation): readonly Content[];
}

/** Defines the payload of an observation: `content` and `is_error` first, then own fields, `kind` last. */
/* @__NO_SIDE_EFFECTS__ */
export function defineObservation<Kind extends string, Fields extends Shape>(
  kind: Kind,
  shape: () => Fields,
  present: (observation: Observation) => readonly Content[] = ({ content }) => content,
): ObservationDefinition<Kind, Fields> {
  // A spread would read the fields.
  return Object.assign(
    defineAction(kind, () => ({ ...observationFields(), ...shape() })),
    { present },
  );
}

/** Levels of an event around its payload: a payload that can be created also fits into an event. */
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
