import { CfWorkerJsonSchemaValidator as Validator } from '@modelcontextprotocol/client/validators/cf-worker';
import { isJsonObject, mapSubschemas, pointerKeys, type JsonSchema } from '@varve/text';
import { invalidInput, ToolError } from '../contract/error.ts';

/**
 * Returns its argument if it is valid.
 *
 * @throws {ToolError} `invalid-input` naming the fields and the reasons, never values.
 */
export type ArgumentCheck = (input: unknown) => Readonly<Record<string, unknown>>;

/**
 * Returns a check of arguments with a JSON Schema: `format` and `default` are annotations, as the specification has
 * them. What cannot be checked here (references that lead elsewhere, those that depend on their users) is left to the
 * program that executes the call.
 *
 * @throws {ToolError} `unusable` when the schema does not describe an object, or is invalid.
 */
export function argumentCheck(name: string, schema: JsonSchema): ArgumentCheck {
  if (schema['type'] !== 'object') throw unusable(name, 'they are not of type object');
  if (!isCheckable(schema)) return anyArguments(name);
  let validate: ReturnType<InstanceType<typeof Validator>['getValidator']>;
  try {
    // The validator writes into its schema.
    validate = new Validator({ shortcircuit: false }).getValidator(structuredClone(withoutFormats(schema)));
  } catch (error) {
    throw unusable(name, error instanceof Error ? error.message.replace(/\.$/, '') : 'they cannot be read', error);
  }
  const isArguments = anyArguments(name);
  return (input) => {
    const problems = problemsOf(validate, input);
    if (problems.length > 0) throw invalidInput(name, problems);
    return isArguments(input);
  };
}

/** Returns a check that any object passes. */
export function anyArguments(name: string): ArgumentCheck {
  return (input) => {
    if (!isJsonObject(input)) throw invalidInput(name, ['They are not an object']);
    // A log does not keep it.
    if (Object.hasOwn(input, '__proto__')) throw invalidInput(name, ['No field can be called __proto__']);
    return input;
  };
}

/** Keywords whose meaning depends on the schemas that lead to them; the validator does not follow these. */
const dynamicKeywords = ['$dynamicRef', '$recursiveRef'];

function isCheckable(schema: JsonSchema): boolean {
  let isStatic = !dynamicKeywords.some((keyword) => Object.hasOwn(schema, keyword));
  mapSubschemas(schema, (inner) => {
    // Nor does it resolve references inside of one document relative to several addresses.
    isStatic &&= !Object.hasOwn(inner, '$id') && isCheckable(inner);
    return inner;
  });
  return isStatic;
}

function withoutFormats({ format: _annotation, ...schema }: JsonSchema): JsonSchema {
  return mapSubschemas(schema, withoutFormats);
}

/** Most problems that are listed. */
const maxProblems = 8;
/** Problems that follow from those inside of the value. */
const consequence = /^(?:A subschema had errors|Property .* does not match schema|Items did not match schema)\.$/s;

function problemsOf(
  validate: (input: unknown) => { readonly valid: boolean; readonly errorMessage: string | undefined },
  input: unknown,
): readonly string[] {
  let message: string | undefined;
  try {
    ({ errorMessage: message } = validate(withoutPrototypes(input)));
  } catch {
    // A reference that leads elsewhere, or a pattern that is not a regular expression.
    return [];
  }
  const problems = (message ?? '').split(/; (?=#)/).flatMap((line) => {
    const [, pointer = '', text = ''] = /^#(.*?): (.*)$/s.exec(line) ?? [];
    if (text === '' || consequence.test(text)) return [];
    const place = pointerKeys(pointer.slice(1)).join('.');
    return [place === '' ? worded(text) : `${place}: ${worded(text)}`];
  });
  return message === undefined ? [] : [...new Set(problems)].slice(0, maxProblems);
}

/** Without the value itself, which may be secret. */
function worded(text: string): string {
  return text
    .replace(/\.$/, '')
    .replace(/^\S+ is (?=less|greater|not a multiple)/, 'it is ')
    .replace(/^False boolean schema$/, 'it is not allowed');
}

/** The validator takes what an object inherits for its fields. */
function withoutPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototypes);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, item]) => [key, withoutPrototypes(item)]);
  return Object.setPrototypeOf(Object.fromEntries(fields), null);
}

function unusable(name: string, why: string, cause?: unknown): ToolError {
  return new ToolError('unusable', `The parameters of the client tool ${name} cannot be used: ${why}.`, { cause });
}
