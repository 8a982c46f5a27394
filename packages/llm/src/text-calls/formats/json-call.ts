import { endOfObject, isJsonObject, readModelJson } from '@varve/text';
import { skipSpace } from '../function-tags/tags.ts';
import type { ScannedCall } from '../function-tags/scan-call.ts';

/** A call written as JSON, without its end position. */
type JsonCall = Omit<ScannedCall, 'end'>;

/** Calls written as JSON, and the position after them. */
export interface JsonCalls {
  readonly calls: readonly ScannedCall[];
  readonly end: number;
}

/** Names of the fields that models use. */
const nameFields = ['name', 'tool_name', 'tool', 'function', 'function_name', 'action'] as const;
const argumentFields = [
  'arguments',
  'parameters',
  'args',
  'params',
  'input',
  'tool_input',
  'action_input',
  'kwargs',
] as const;
/** Fields without meaning for the call. */
const otherFields = new Set(['id', 'type', 'index', 'call_id', 'tool_call_id', 'thought', 'reasoning']);

/** Reads an object or a list of objects at `start`, each a call. */
export function jsonCallsAt(text: string, start: number): JsonCalls | undefined {
  if (!text.startsWith('[', start)) return callsIn(text, start);
  const calls: ScannedCall[] = [];
  for (let at = skipSpace(text, start + 1); ;) {
    if (text.startsWith(']', at) && calls.length > 0) return { calls, end: at + 1 };
    const item = callsIn(text, at);
    if (!item) return undefined;
    calls.push(...item.calls);
    at = skipSpace(text, item.end);
    if (text.startsWith(',', at)) at = skipSpace(text, at + 1);
    else if (!text.startsWith(']', at)) return undefined;
  }
}

function callsIn(text: string, start: number): JsonCalls | undefined {
  const end = endOfObject(text, start);
  if (end === undefined) return undefined;
  const body = text.slice(start, end);
  const value = objectOf(parsed(body));
  const listed = value?.['tool_calls'];
  const items: readonly unknown[] = Array.isArray(listed) && Object.keys(value ?? {}).length === 1 ? listed : [value];
  const calls = items.flatMap((item) => callOf(item, body) ?? []);
  return calls.length === items.length && calls.length > 0
    ? { calls: calls.map((call) => ({ ...call, end })), end }
    : undefined;
}

/**
 * Reads a call with a name and arguments, which some models write as a string. Returns undefined for any other value,
 * and for a call with further fields, which may belong to the arguments.
 */
function callOf(value: unknown, body: string): JsonCall | undefined {
  const outer = objectOf(value);
  const nested = objectOf(outer?.['function']) ?? objectOf(outer?.['function_call']);
  // Some servers write the arguments next to the function.
  const beside = argumentFields.filter((field) => nested && Object.hasOwn(outer ?? {}, field));
  const written = nested ? { ...nested, ...Object.fromEntries(beside.map((field) => [field, outer?.[field]])) } : outer;
  if (!written || (nested && !hasOnly(outer, ['function', 'function_call', ...beside]))) return undefined;
  const nameField = nameFields.find((field) => typeof written[field] === 'string');
  const argumentField = argumentFields.find((field) => Object.hasOwn(written, field));
  if (nameField === undefined || argumentField === undefined) return undefined;
  if (!hasOnly(written, [nameField, argumentField])) return undefined;
  const json = written[argumentField];
  const values = objectOf(typeof json === 'string' ? parsed(json) : json);
  return values && { name: String(written[nameField]), parameters: [], json: JSON.stringify(values), body };
}

function hasOnly(value: Readonly<Record<string, unknown>> | undefined, fields: readonly string[]): boolean {
  return Object.keys(value ?? {}).every((field) => fields.includes(field) || otherFields.has(field));
}

function parsed(text: string): unknown {
  const read = readModelJson(text);
  return 'value' in read ? read.value : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isJsonObject(value) ? value : undefined;
}

/** Returns the JSON of an object of arguments; undefined for any other text. */
export function argumentsIn(text: string): string | undefined {
  const values = objectOf(parsed(text));
  return values && JSON.stringify(values);
}
