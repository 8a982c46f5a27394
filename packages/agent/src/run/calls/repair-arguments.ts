import { type JsonLimits, readModelJson } from '@varve/text';

/**
 * Limits of arguments: others are not parsed, as parsed JSON needs many times the memory of its text, and no other work
 * runs while it is parsed, checked and executed. Patches of 10 MB and lists of 100,000 tasks took 2 and 0.5 s.
 */
export const argumentLimits: JsonLimits = { depth: 500, values: 20_000 };

/** Most characters of arguments: more than any model writes in one reply. */
export const maxArgumentChars = 4_000_000;

/** Arguments of a call, or the reason and the place where they cannot be read. */
export type ParsedArguments = { readonly fields: Record<string, unknown> } | { readonly problem?: string };

/**
 * Parses the arguments of a call: JSON, or what can only have been meant as JSON; or an object encoded as a string,
 * once.
 *
 * @see software-agent-sdk fix_malformed_tool_arguments, sanitize_json_control_chars (which also complete truncated
 * arguments)
 */
export function parseArguments(json: string): ParsedArguments {
  const outer = readModelJson(json, argumentLimits);
  const isEncoded = 'value' in outer && typeof outer.value === 'string';
  const read = isEncoded ? readModelJson(outer.value, argumentLimits) : outer;
  if (!('value' in read)) return read;
  const { value } = read;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { fields: { ...value } } : {};
}
