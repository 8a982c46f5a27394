/** Whether a text is the JSON of an object: what providers demand of tool-call arguments. */
export function isObjectJson(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
