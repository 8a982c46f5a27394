import * as z from 'zod';
import { definitionOf, settingKeys } from './settings.ts';

interface Section {
  readonly [name: string]: Section | z.ZodType;
}

/**
 * Returns the JSON Schema of a settings file, from which editors complete and check it.
 *
 * @see https://zod.dev/json-schema
 */
export function settingsJsonSchema(): Readonly<Record<string, unknown>> {
  const root: Record<string, unknown> = { $schema: z.string().optional() };
  for (const key of settingKeys) {
    const path = key.split('.');
    const last = path.pop() ?? '';
    let section = root;
    for (const name of path) section = (section[name] ??= {}) as Record<string, unknown>;
    const { schema, description, defaultValue } = definitionOf(key);
    const described = schema().meta({ description, ...(defaultValue !== undefined && { default: defaultValue }) });
    section[last] = described.optional();
  }
  return z.toJSONSchema(objectOf(root as Section).meta({ title: 'Settings of varve' }), {
    io: 'input',
    reused: 'inline',
  });
}

function objectOf(section: Section): z.ZodType {
  return z.strictObject(
    Object.fromEntries(
      Object.entries(section).map(([name, part]) => [
        name,
        part instanceof z.ZodType ? part : objectOf(part).optional(),
      ]),
    ),
  );
}
