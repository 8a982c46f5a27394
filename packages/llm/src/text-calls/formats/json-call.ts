import type { ScannedCall } from '../function-tags/scan-call.ts';

/** A call as JSON, wherever it ends. */
export type JsonCall = Omit<ScannedCall, 'end'>;

/** The call that a JSON text stands for: `name` and `arguments`, which some write as text or call `parameters`. */
export function jsonCall(text: string): JsonCall | undefined {
  try {
    const written = objectOf(JSON.parse(text));
    const { name } = written ?? {};
    const given = written?.['arguments'] ?? written?.['parameters'];
    const values = objectOf(typeof given === 'string' ? JSON.parse(given) : given);
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
