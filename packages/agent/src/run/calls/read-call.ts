import { type Tool, ToolError } from '@varve/tools';
import { EventError, type ToolCall } from '@varve/events';
import type { SecurityRisk } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import { allowsNull, coerceFields, exceededJsonLimit, propertiesOf } from '@varve/text';
import { argumentLimits, maxArgumentChars, parseArguments } from './repair-arguments.ts';

/** A valid call. */
export interface ValidCall {
  readonly kind: 'valid';
  /** With the tool's own name and the original arguments. */
  readonly call: ToolCall;
  readonly tool: Tool;
  /** Payload with which the call is stored. */
  readonly action: Payload;
  readonly risk: SecurityRisk;
  readonly summary: string | undefined;
}

/** A call that cannot run; `problem` is an explanation for the model. */
export interface InvalidCall {
  readonly kind: 'invalid';
  readonly call: ToolCall;
  readonly problem: string;
}

const risks = new Set<unknown>(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH'] satisfies SecurityRisk[]);

/**
 * Reads one call of a reply: finds its tool, parses and validates its arguments, and repairs mistakes with only one
 * possible meaning. Problems name fields, never values.
 */
export function readCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): ValidCall | InvalidCall {
  const tool = resolveToolName(call.name, tools);
  if (!tool) return invalid(call, `There is no tool ${call.name}. The tools are: ${[...tools.keys()].join(', ')}.`);
  const limit = exceededLimit(call.arguments);
  if (limit) return invalid(call, `The arguments of ${tool.name} have more than ${limit}. Send a smaller call.`);
  const parsed = parseArguments(call.arguments);
  if (!('fields' in parsed)) {
    const why = parsed.problem === undefined ? '' : `: ${parsed.problem}`;
    return invalid(call, `The arguments of ${tool.name} are not a JSON object${why}. Send the call again.`);
  }
  const { summary, ...others } = parsed.fields;
  const [risk, rest] = withoutRisk(others, tool);
  const input = { ...rest, ...(declares(tool, 'summary') && summary !== undefined && { summary }) };
  try {
    const action = tool.toAction(parseInput(tool, withoutRejectedNulls(input, tool)));
    return {
      kind: 'valid',
      call: call.name === tool.name ? call : { ...call, name: tool.name },
      tool,
      action,
      risk: tool.annotations.readOnlyHint || !isRisk(risk) ? 'UNKNOWN' : risk,
      summary: typeof summary === 'string' && summary.trim() !== '' ? summary : undefined,
    };
  } catch (error) {
    // Valid arguments may still not fit a log, for example nested a thousand levels deep.
    if (!(error instanceof ToolError || error instanceof EventError)) throw error;
    return invalid(call, error.message);
  }
}

/** Returns the limit that arguments exceed, with its unit. */
function exceededLimit(json: string): string | undefined {
  if (json.length > maxArgumentChars) return `${maxArgumentChars} characters`;
  const exceeded = exceededJsonLimit(json, argumentLimits);
  return exceeded && `${argumentLimits[exceeded]} ${exceeded === 'depth' ? 'levels' : 'values'}`;
}

/** Returns the tool's input. Rejected arguments are repaired and tried once more. */
function parseInput(tool: Tool, fields: Readonly<Record<string, unknown>>): unknown {
  try {
    return tool.parse(fields);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const repaired = tool.repairInput?.(fields) ?? fields;
    try {
      return tool.parse(coerceFields(repaired, { root: tool.parameters }));
    } catch {
      throw error;
    }
  }
}

/** Leaves out null where the tool describes a parameter that cannot be null: models write it for an absent one. */
function withoutRejectedNulls(
  fields: Readonly<Record<string, unknown>>,
  { parameters }: Tool,
): Readonly<Record<string, unknown>> {
  if (!Object.values(fields).includes(null)) return fields;
  const properties = propertiesOf(parameters);
  const isRejected = (name: string): boolean =>
    Object.hasOwn(properties, name) && !allowsNull(properties[name], parameters);
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => value !== null || !isRejected(name)));
}

/**
 * Names of the risk parameter, which models misspell. A parameter of the tool with such a name is not a rating.
 *
 * @see software-agent-sdk fix_malformed_tool_arguments
 */
const riskNames = ['security_risk', 'security_rort', 'securtiy_risk', 'security_riks'];

function withoutRisk(
  fields: Readonly<Record<string, unknown>>,
  tool: Tool,
): readonly [unknown, Readonly<Record<string, unknown>>] {
  const name = riskNames.find((each) => Object.hasOwn(fields, each) && !declares(tool, each));
  if (name === undefined) return [undefined, fields];
  const { [name]: risk, ...rest } = fields;
  return [risk, rest];
}

function invalid(call: ToolCall, problem: string): InvalidCall {
  return { kind: 'invalid', call, problem };
}

function isRisk(value: unknown): value is SecurityRisk {
  return risks.has(value);
}

function declares(tool: Tool, field: string): boolean {
  return Object.hasOwn(propertiesOf(tool.parameters), field);
}

/**
 * Returns the tool that a call names: the tool of that name, else the tool named by the word before markup (models run
 * names and markup together), else the tool that has this word as an alias. Undefined when no offered tool matches: a
 * longer name is that of another tool.
 *
 * @see software-agent-sdk normalize_tool_call
 */
export function resolveToolName(name: string, tools: ReadonlyMap<string, Tool>): Tool | undefined {
  const [word = ''] = /^[a-z_][\w-]*(?=$|[\s<|({[,;"'`])/i.exec(name.trim()) ?? [];
  return tools.get(name) ?? tools.get(word) ?? [...tools.values()].find(({ aliases }) => aliases?.includes(word));
}
