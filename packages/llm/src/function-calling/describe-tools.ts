import { additionalProperties, alternativesOf, propertiesOf, resolveSchema, type JsonSchema } from '@varve/text';
import type { ToolSpec } from '../model-request.ts';
import { tags } from '../text-calls/function-tags/tags.ts';
import { exampleCall, listOf } from '../text-calls/example-call.ts';

/** Options of {@link describeTools}. */
export interface InstructionOptions {
  readonly callsPerReply: 'one' | 'many';
  /** Adds a sample call of the first tool. */
  readonly example: boolean;
  readonly toolChoice: 'auto' | 'none' | 'required';
}

/**
 * Renders the instructions and tools as a block of the system prompt; the same bytes for the same tools and options.
 */
export function describeTools(tools: readonly ToolSpec[], options: InstructionOptions): string {
  const [first] = tools;
  return [
    instructions(options),
    ...tools.map(toolBlock),
    ...(options.example && first
      ? [`A call looks like this:\n\nI will use ${first.name}.\n\n${exampleCall(first)}`]
      : []),
  ].join('\n\n');
}

function instructions({ callsPerReply, toolChoice }: InstructionOptions): string {
  const isOne = callsPerReply === 'one';
  return `You act by calling the functions listed below. A call is a block of your reply, written exactly like this:

<function=NAME>
<parameter=FIRST>a value on one line</parameter>
<parameter=SECOND>
a value
on several lines
</parameter>
</function>

- ${isOne ? 'Make one call per reply, at its end.' : 'Put all calls at the end of the reply, one block after the other.'}
- Write any explanation before the call; text after it is not read.
- Give every required parameter, and close every tag.
- Write text as it is, without quotes or escapes. Write numbers, true, false, null, lists and objects as JSON.
- Put a value that contains one of these tags between ${tags.literalOpen} and ${tags.literalClose}.
- The result follows in the next message. Never write one yourself.
- ${choices[toolChoice]}`;
}

const choices = {
  auto: 'When no function is needed, answer without a block.',
  none: 'Do not call a function now: answer with text.',
  required: 'Your next reply must contain a call.',
} as const;

function toolBlock({ name, description, parameters }: ToolSpec, index: number): string {
  const required = new Set(listOf(resolveSchema(parameters, parameters)['required']));
  const properties = Object.entries(propertiesOf(parameters));
  const isOpen = additionalProperties(parameters) !== undefined;
  const lines = properties.map(([key, schema], position) => {
    const kind = `${typeName(schema, parameters)}, ${required.has(key) ? 'required' : 'optional'}`;
    return [
      `  (${position + 1}) ${key} (${kind})${descriptionOf(schema, parameters)}`,
      ...details(schema, parameters),
    ].join('\n');
  });
  return [
    `---- BEGIN FUNCTION #${index + 1}: ${name} ----`,
    ...(description === '' ? [] : [`Description: ${description}`]),
    ...(lines.length > 0 ? ['Parameters:', ...lines] : isOpen ? [] : ['It takes no parameters.']),
    ...(isOpen ? [`It takes ${lines.length > 0 ? 'further ' : ''}parameters of any name.`] : []),
    ...combinations(parameters),
    `---- END FUNCTION #${index + 1} ----`,
  ].join('\n');
}

/** Returns the sets of parameters of which a call needs one, where the schema has variants. */
function combinations(parameters: JsonSchema): readonly string[] {
  const { anyOf, oneOf } = resolveSchema(parameters, parameters);
  const variants = [anyOf, oneOf].find((each) => Array.isArray(each)) as readonly unknown[] | undefined;
  const sets = (variants ?? []).map((each) => listOf(resolveSchema(each, parameters)['required']).join(', '));
  return sets.some((set) => set !== '') ? [`Required is one of: ${sets.map((set) => `(${set})`).join(' or ')}.`] : [];
}

function typeName(schema: unknown, root: JsonSchema): string {
  const types = alternativesOf(schema, root).map((each) => oneType(each, root));
  return [...new Set(types)].join(' or ');
}

function oneType(schema: JsonSchema, root: JsonSchema): string {
  const { type, items } = schema;
  if (type === 'array') return items === undefined ? 'array' : `array of ${typeName(items, root)}`;
  if (typeof type === 'string') return type;
  return Array.isArray(schema['enum']) || 'const' in schema ? 'one of the allowed values' : 'any';
}

function descriptionOf(schema: unknown, root: JsonSchema): string {
  const { description } = { ...resolveSchema(schema, root), ...(typeof schema === 'object' ? schema : {}) };
  return typeof description === 'string' && description !== '' ? `: ${description}` : '';
}

/** Returns the allowed values of a parameter, and its schema when it is nested. */
function details(schema: unknown, root: JsonSchema): readonly string[] {
  const all = alternativesOf(schema, root);
  const values = all.flatMap((each) => ('const' in each ? [each['const']] : listOf(each['enum'])));
  const isNested = all.some((each) => isStructured(each) || isStructured(resolveSchema(each['items'], root)));
  return [
    ...(values.length > 0 ? [`      Allowed values: ${values.map((value) => JSON.stringify(value)).join(', ')}`] : []),
    ...(isNested ? [`      JSON Schema: ${JSON.stringify(withoutReferences(schema, root))}`] : []),
  ];
}

function isStructured(schema: JsonSchema): boolean {
  return 'properties' in schema || 'prefixItems' in schema || 'anyOf' in schema || 'oneOf' in schema;
}

/**
 * Replaces references by their schemas, up to four levels; a deeper or recursive one becomes the schema of any value.
 */
function withoutReferences(schema: unknown, root: JsonSchema, depth = 0): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutReferences(each, root, depth));
  if (typeof schema !== 'object' || schema === null) return schema;
  if ('$ref' in schema) return depth < 4 ? withoutReferences(resolveSchema(schema, root), root, depth + 1) : {};
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withoutReferences(value, root, depth)]));
}
