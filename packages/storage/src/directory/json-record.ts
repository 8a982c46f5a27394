/** A JSON object. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** The value when it is an object and no array. */
export function asRecord(value: unknown): JsonRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : undefined;
}

/** The object that a text is; nothing for any other text. */
export function parseRecord(text: string | Buffer | undefined): JsonRecord | undefined {
  if (text === undefined) return undefined;
  try {
    return asRecord(JSON.parse(text.toString()));
  } catch {
    return undefined;
  }
}
