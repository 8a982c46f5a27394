/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object and not an array. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** Parses a JSON object; returns `undefined` for any other text. */
export function parseRecord(text: string | Buffer | undefined): JsonRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return asRecord(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}
