import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';

/** One error of a request. */
export const validationError = lazy(() =>
  z
    .object({
      type: z.string(),
      /** Part of the request (`path`, `query`, `body`) and position in it. */
      loc: z.array(z.union([z.string(), z.int()])),
      msg: z.string(),
      input: z.unknown(),
      ctx: z.exactOptional(z.record(z.string(), z.unknown())),
    })
    .openapi('ValidationError'),
);
type ValidationError = z.output<ReturnType<typeof validationError>>;

/** Position of a value in a request. */
export type RequestPart = 'path' | 'query' | 'body';

type Issue = z.core.$ZodIssue;
interface Verdict {
  readonly type: string;
  readonly ctx?: Record<string, unknown>;
}

/**
 * Returns the errors of one part of a request in its sent form.
 *
 * @see agent-server 1.43.1 answers of status 422: the same types and places, sentences of our own
 */
export function validationErrors(
  part: RequestPart,
  raw: unknown,
  issues: readonly Issue[],
): readonly ValidationError[] {
  return issues.map((issue) => {
    const input = issue.path.reduce(valueAt, raw);
    const { type, ctx } = input === undefined ? { type: 'missing' } : verdict(issue);
    const loc = [part, ...issue.path.map((key) => (typeof key === 'number' ? key : String(key)))];
    return { type, loc, msg: issue.message, input: input ?? null, ...(ctx && { ctx }) };
  });
}

function valueAt(value: unknown, key: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<PropertyKey, unknown>)[key];
}

function verdict(issue: Issue): Verdict {
  switch (issue.code) {
    case 'invalid_type':
      return { type: typeErrors[issue.expected] ?? 'value_error' };
    case 'too_small':
    case 'too_big':
      return outOfRange(issue);
    case 'invalid_value':
      return notAmong(issue);
    case 'invalid_format':
      return { type: formatErrors[issue.format] ?? 'value_error' };
    case 'unrecognized_keys':
      return { type: 'extra_forbidden' };
    case 'custom':
    case 'invalid_element':
    case 'invalid_key':
    case 'invalid_union':
    case 'not_multiple_of':
      break;
  }
  return { type: 'value_error' };
}

const typeErrors: Readonly<Record<string, string>> = {
  number: 'int_parsing',
  int: 'int_parsing',
  string: 'string_type',
  boolean: 'bool_type',
  array: 'list_type',
};

const formatErrors: Readonly<Record<string, string>> = {
  uuid: 'uuid_parsing',
  datetime: 'datetime_from_date_parsing',
  regex: 'string_pattern_mismatch',
};

function outOfRange(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): Verdict {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  if (issue.origin === 'string') {
    const [type, name] =
      issue.code === 'too_small' ? ['string_too_short', 'min_length'] : ['string_too_long', 'max_length'];
    return { type, ctx: { [name]: limit } };
  }
  const [type, name] = issue.code === 'too_small' ? ['greater_than', 'gt'] : ['less_than', 'lt'];
  return issue.inclusive === false
    ? { type, ctx: { [name]: limit } }
    : { type: `${type}_equal`, ctx: { [name.replace('t', 'e')]: limit } };
}

function notAmong({ values }: Extract<Issue, { code: 'invalid_value' }>): Verdict {
  if (values.includes('true')) return { type: 'bool_parsing' };
  const quoted = values.map((value) => `'${String(value)}'`);
  const expected = [quoted.slice(0, -1).join(', '), ...quoted.slice(-1)].filter(Boolean).join(' or ');
  return { type: values.length === 1 ? 'literal_error' : 'enum', ctx: { expected } };
}
