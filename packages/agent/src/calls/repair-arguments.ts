import { JSONRepairError, jsonrepair } from 'jsonrepair';
import { closedObject } from './closed-object.ts';
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

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
