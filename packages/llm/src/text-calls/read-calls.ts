import { createHash } from 'node:crypto';
import type { ToolCall } from '@varve/events';
import { additionalProperties, coerceText, propertiesOf } from '@varve/text';
import type { ToolSpec } from '../model-request.ts';
import type { ScannedCall } from './function-tags/scan-call.ts';
import type { KnownNames } from './function-tags/scan-parameter.ts';
import { tags } from './function-tags/tags.ts';

/** Calls as a model with native function calling would return them. */
export interface ReadCalls {
  readonly calls: readonly ToolCall[];
  /** By call id: the reason why a call cannot be run, as a text for the model. */
  readonly invalidCalls: Readonly<Record<string, string>>;
}

/** Options of {@link readCalls}. */
export interface ReadCallsOptions {
  readonly tools: ReadonlyMap<string, ToolSpec>;
  /** Call ids are derived from it, so a replayed reply has the same ids. */
  readonly replyId: string;
}

/**
 * Converts scanned calls to calls with JSON arguments. Unknown tools and missing parameters are reported by the agent,
 * not here.
 */
export function readCalls(scanned: readonly ScannedCall[], options: ReadCallsOptions): ReadCalls {
  const read = scanned.map((call, index) => readCall(call, callId(options.replyId, index), options));
  const invalid = read.flatMap(({ call, problems }) =>
    problems.length > 0 ? [[call.id, problems.join(' ')] as const] : [],
  );
  return { calls: read.map(({ call }) => call), invalidCalls: Object.fromEntries(invalid) };
}

function callId(replyId: string, index: number): string {
  return `call_${createHash('sha256').update(`${replyId}/${index}`).digest('hex').slice(0, 20)}`;
}

function readCall(scanned: ScannedCall, id: string, { tools }: ReadCallsOptions) {
  const { name, openParameter, json } = scanned;
  const call = (args: string): ToolCall => ({ id, name, arguments: args, origin: 'completion' });
  if (json !== undefined) return { call: call(json), problems: [] };
  if (openParameter !== undefined) {
    // The text returns to the history unchanged, so that the model sees what it wrote.
    return { call: call(scanned.body), problems: [ambiguousValueMessage(openParameter, name)] };
  }
  const root = tools.get(name)?.parameters ?? {};
  const known = propertiesOf(root);
  const names = Object.keys(known);
  const others = additionalProperties(root);
  const problems: string[] = [];
  const fields = new Map<string, unknown>();
  for (const parameter of scanned.parameters) {
    const key = matchingName(parameter.name, names) ?? parameter.name;
    if (fields.has(key)) problems.push(`The parameter ${key} of ${name} is written twice.`);
    const isKnown = Object.hasOwn(known, key);
    if (!isKnown && others === undefined) {
      fields.set(key, parameter.text);
      problems.push(`${name} has no parameter ${key}. Its parameters are: ${names.join(', ')}.`);
      continue;
    }
    const coerced = coerceText(parameter, isKnown ? known[key] : others, { root });
    fields.set(key, 'value' in coerced ? coerced.value : parameter.text);
    if ('expected' in coerced) problems.push(`The parameter ${key} of ${name} must be ${coerced.expected}.`);
  }
  return { call: call(JSON.stringify(Object.fromEntries(fields))), problems };
}

/** Returns the names that are valid in a call of a tool. */
export function knownNamesOf(tools: ReadonlyMap<string, ToolSpec>, tool: string): KnownNames {
  const root = tools.get(tool)?.parameters ?? {};
  const names = Object.keys(propertiesOf(root));
  const isOpen = additionalProperties(root) !== undefined;
  return {
    isTool: (name) => tools.has(name),
    isParameter: (name) => isOpen || matchingName(name, names) !== undefined,
  };
}

/** Returns the known name that equals `written` apart from case, hyphens and underscores. */
function matchingName(written: string, names: readonly string[]): string | undefined {
  if (names.includes(written)) return written;
  return names.find((name) => plain(name) === plain(written));
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}

function ambiguousValueMessage(parameter: string, tool: string): string {
  const { parameterClose, literalOpen, literalClose } = tags;
  return `The end of the value of ${parameter} in this call of ${tool} is ambiguous, so the call was not run. Close it with ${parameterClose}; put a value that contains tags between ${literalOpen} and ${literalClose}.`;
}
