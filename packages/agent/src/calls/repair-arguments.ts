import { endOfObject } from '@varve/text';
import { JSONRepairError, jsonrepair } from 'jsonrepair';
import { escapeControls } from './escape-controls.ts';

/**
 * Reads the arguments of a call. Each rung is tried only when those before it fail: JSON as it stands; raw control
 * characters inside strings; an object written as a string, once; slips of a closed object (code fences, single quotes,
 * `True`, commas too many or too few). Null stands for what was left out. Undefined for what is no object.
 *
 * @see software-agent-sdk fix_malformed_tool_arguments, sanitize_json_control_chars (which also complete what was cut off)
 */
export function parseArguments(json: string): Record<string, unknown> | undefined {
  const value = parsed(json) ?? parsed(escapeControls(json)) ?? repaired(json);
  const object = asObject(typeof value === 'string' ? (parsed(value) ?? repaired(value)) : value);
  return object && Object.fromEntries(Object.entries(object).filter(([, field]) => field !== null));
}

/** Parses a list or an object that a string in the arguments holds; an object is repaired as the arguments are. */
export function parseNested(text: string): unknown {
  return text.startsWith('{') ? parseArguments(text) : parsed(text);
}

function asObject(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function repaired(json: string): unknown {
  const object = closedObject(json);
  if (object === undefined) return undefined;
  try {
    return parsed(jsonrepair(object));
  } catch (error) {
    if (error instanceof JSONRepairError) return undefined;
    throw error;
  }
}

/**
 * Returns the first object in a text that contains nothing else but a code fence, if the object is closed where it ends.
 * An object that was cut off must not be repaired, because the missing text is unknown.
 */
function closedObject(text: string): string | undefined {
  const start = text.indexOf('{');
  if (start < 0 || !/^\s*(?:```\w*\s*)?$/.test(text.slice(0, start))) return undefined;
  const end = endOfObject(text, start, { syntax: 'lenient' });
  // Surplus closers are a slip; a second object is another call.
  return end !== undefined && /^[\s`}\]);,]*$/.test(text.slice(end)) ? text.slice(start, end) : undefined;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
