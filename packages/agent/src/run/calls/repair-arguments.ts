import { endOfObject, escapeControls, exceededJsonLimit, type JsonLimits, parseJson } from '@varve/text';
import { JSONRepairError, jsonrepair } from 'jsonrepair';

/**
 * Limits of arguments: others are not parsed, as parsed JSON needs many times the memory of its text, and no other work
 * runs while it is parsed, checked and executed. Patches of 10 MB and lists of 100,000 tasks took 2 and 0.5 s.
 */
export const argumentLimits: JsonLimits = { depth: 500, values: 20_000 };

/** Most characters of arguments: more than any model writes in one reply. */
export const maxArgumentChars = 4_000_000;

/** Longer text is not repaired: `jsonrepair` needs 0.1 s for 20,000 characters of mistakes, and 20 s for 200,000. */
const maxRepaired = 20_000;

/**
 * Parses the arguments of a call. Each repair is tried only when the previous ones fail: JSON as it is; raw control
 * characters inside strings; an object encoded as a string, once; mistakes in a closed object (code fences, single
 * quotes, `True`, missing or surplus commas). Undefined when the text is not an object.
 *
 * @see software-agent-sdk fix_malformed_tool_arguments, sanitize_json_control_chars (which also complete truncated
 * arguments)
 */
export function parseArguments(json: string): Record<string, unknown> | undefined {
  const value = parseJson(json, argumentLimits) ?? parseJson(escapeControls(json), argumentLimits) ?? repairJson(json);
  const object = asObject(typeof value === 'string' ? (parseJson(value, argumentLimits) ?? repairJson(value)) : value);
  return object && { ...object };
}

/** Parses a list or an object inside a string argument; an object is repaired like the arguments. */
export function parseNested(text: string): unknown {
  return text.startsWith('{') ? parseArguments(text) : parseJson(text, argumentLimits);
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function repairJson(json: string): unknown {
  const object = closedObject(json);
  if (object === undefined || object.length > maxRepaired || exceededJsonLimit(object, argumentLimits))
    return undefined;
  try {
    return parseJson(jsonrepair(object), argumentLimits);
  } catch (error) {
    // A RangeError: the stack is too small for text that is nested by other means than braces, such as `f(f(f(`.
    if (error instanceof JSONRepairError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/**
 * Returns the first object in a text that contains nothing else but a code fence, if the object is closed where it
 * ends. An object that was cut off must not be repaired, because the missing text is unknown.
 */
function closedObject(text: string): string | undefined {
  const start = text.indexOf('{');
  if (start < 0 || !/^\s*(?:```\w*\s*)?$/.test(text.slice(0, start))) return undefined;
  const end = endOfObject(text, start, { syntax: 'lenient' });
  // Surplus closing brackets are a mistake; a second object is another call.
  return end !== undefined && /^[\s`}\]);,]*$/.test(text.slice(end)) ? text.slice(start, end) : undefined;
}
