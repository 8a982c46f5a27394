import type { ScannedCall } from '../function-tags/scan-call.ts';

/** A call written as JSON, without its end position. */
export type JsonCall = Omit<ScannedCall, 'end'>;

/**
 * Reads a call from JSON with `name` and `arguments`. Some models write the arguments as a string or name them
 * `parameters`. Returns undefined for any other text.
 */
export function jsonCall(text: string): JsonCall | undefined {
  try {
    const written = objectOf(JSON.parse(text));
    const { name } = written ?? {};
    const json = written?.['arguments'] ?? written?.['parameters'];
    const values = objectOf(typeof json === 'string' ? JSON.parse(json) : json);
    if (typeof name !== 'string' || !values) return undefined;
    return { name, parameters: [], json: JSON.stringify(values), body: text };
  } catch {
    return undefined;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
}
