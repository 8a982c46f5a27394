/** Returns the value of JSON that a model wrote; undefined for other texts. */
export function parsedJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '') as unknown;
  } catch {
    return undefined;
  }
}
