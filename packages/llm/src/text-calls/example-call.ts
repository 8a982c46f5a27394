import { alternativesOf, propertiesOf, resolveSchema, type JsonSchema } from '@varve/text';
import type { ToolSpec } from '../model-request.ts';
import { writeCall } from './function-tags/write-call.ts';

/** Returns a call of a tool with values of the right types, as the model should write it. */
export function exampleCall({ name, parameters }: ToolSpec): string {
  const { required } = resolveSchema(parameters, parameters);
  const requiredNames = new Set(listOf(required));
  const fields = Object.entries(propertiesOf(parameters)).filter(
    ([key], index) => requiredNames.has(key) || index === 0,
  );
  const values = fields.slice(0, 6).map(([key, schema]) => [key, sample(schema, parameters)]);
  return writeCall({ name, arguments: JSON.stringify(Object.fromEntries(values)) });
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

/** Returns the items of a list in a schema; empty for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
