import { alternativesOf, propertiesOf, resolveSchema, type JsonSchema } from '@varve/text';
import type { ToolSpec } from '../model-request.ts';
import { tags } from '../text-calls/function-tags/tags.ts';
import { writeCall } from '../text-calls/function-tags/write-call.ts';

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
    ...(options.example && first ? [`A call looks like this:\n\n${exampleOf(first)}`] : []),
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
    ...(lines.length > 0 ? ['Parameters:', ...lines] : ['It takes no parameters.']),
    `---- END FUNCTION #${index + 1} ----`,
  ].join('\n');
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

function exampleOf({ name, parameters }: ToolSpec): string {
  const required = new Set(listOf(resolveSchema(parameters, parameters)['required']));
  const shown = Object.entries(propertiesOf(parameters)).filter(([key], index) => required.has(key) || index === 0);
  const fields = shown.slice(0, 6).map(([key, schema]) => [key, sample(schema, parameters)]);
  return `I will use ${name}.\n\n${writeCall({ name, arguments: JSON.stringify(Object.fromEntries(fields)) })}`;
}

function sample(schema: unknown, root: JsonSchema): unknown {
  const first = alternativesOf(schema, root).find((each) => each['type'] !== 'null') ?? {};
  if ('const' in first) return first['const'];
  const [value] = listOf(first['enum']);
  if (value !== undefined) return value;
  if (first['type'] === 'array') return [sample(first['items'], root)];
  return samples[String(first['type'])] ?? 'example text';
}

const samples: Readonly<Record<string, unknown>> = { integer: 1, number: 0.5, boolean: true, object: {}, null: null };

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
