import { parseArguments } from './repair-arguments.ts';

type Schema = Readonly<Record<string, unknown>>;

/**
 * Arguments as a tool's parameters want them, where there is only one way to mean them: a string that holds the list, the
 * object, the number or the truth value that belongs there, and a list of strings where one string does. Fields that fit
 * and fields that the tool does not know stay as they are.
 */
export function fitArguments(fields: Readonly<Record<string, unknown>>, parameters: Schema): Record<string, unknown> {
  const properties = (parameters['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const wanted = Object.hasOwn(properties, name) ? typesOf(properties[name] ?? {}) : [];
      return [name, wanted.length === 0 || wanted.some((type) => isOf(value, type)) ? value : fitted(value, wanted)];
    }),
  );
}

function typesOf({ type, anyOf }: Schema): readonly string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((schema: Schema) => typesOf(schema));
  return Array.isArray(type) ? (type as string[]) : typeof type === 'string' ? [type] : [];
}

function fitted(value: unknown, wanted: readonly string[]): unknown {
  if (Array.isArray(value)) {
    return wanted.includes('string') && value.every((item) => typeof item === 'string') ? value.join('') : value;
  }
  if (typeof value !== 'string') return value;
  const meant = meaningOf(value.trim());
  return wanted.some((type) => isOf(meant, type)) ? meant : value;
}

function meaningOf(said: string): unknown {
  if (/^(?:true|false)$/i.test(said)) return said.toLowerCase() === 'true';
  if (/^-?\d+(?:\.\d+)?$/.test(said)) return Number(said);
  if (said.startsWith('{')) return parseArguments(said);
  try {
    return said.startsWith('[') ? JSON.parse(said) : undefined;
  } catch {
    return undefined;
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}
