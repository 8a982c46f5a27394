import { EventError, type SecurityRisk, type ToolCall } from '@varve/events';
import type { Payload } from '@varve/events/payloads';
import { ToolError, type Tool } from '@varve/tools';
import { escapeControls } from './escape-controls.ts';

/** A call that can run. */
export interface ValidCall {
  readonly kind: 'valid';
  readonly call: ToolCall;
  readonly tool: Tool;
  /** The payload under which the call is stored. */
  readonly action: Payload;
  readonly risk: SecurityRisk;
  readonly summary: string | undefined;
}

/** A call that cannot run; `problem` is for the model. */
export interface InvalidCall {
  readonly kind: 'invalid';
  readonly call: ToolCall;
  readonly problem: string;
}

const risks = new Set<unknown>(['UNKNOWN', 'LOW', 'MEDIUM', 'HIGH'] satisfies SecurityRisk[]);

/** Reads one call of a reply: resolves its tool, parses and checks its arguments. Problems name fields, never values. */
export function readCall(call: ToolCall, tools: ReadonlyMap<string, Tool>): ValidCall | InvalidCall {
  const tool = tools.get(call.name);
  if (!tool) return invalid(call, `There is no tool ${call.name}. The tools are: ${[...tools.keys()].join(', ')}.`);
  const fields = argumentsOf(call.arguments);
  if (!fields) return invalid(call, `The arguments of ${call.name} are not a JSON object. Send the call again.`);
  const { security_risk: risk, summary, ...rest } = fields;
  const own = { ...rest, ...(declares(tool, 'summary') && summary !== undefined && { summary }) };
  try {
    const action = tool.toAction(tool.parse(own));
    return {
      kind: 'valid',
      call,
      tool,
      action,
      risk: tool.annotations.readOnlyHint || !isRisk(risk) ? 'UNKNOWN' : risk,
      summary: typeof summary === 'string' && summary.trim() !== '' ? summary : undefined,
    };
  } catch (error) {
    // Arguments may fit the tool and yet be nothing a log can hold, for instance nested a thousand levels deep.
    if (!(error instanceof ToolError || error instanceof EventError)) throw error;
    return invalid(call, error.message);
  }
}

function invalid(call: ToolCall, problem: string): InvalidCall {
  return { kind: 'invalid', call, problem };
}

function isRisk(value: unknown): value is SecurityRisk {
  return risks.has(value);
}

function declares(tool: Tool, field: string): boolean {
  return field in ((tool.parameters as { readonly properties?: object }).properties ?? {});
}

/** Models leave raw line feeds in strings and send null for what they leave out; both are put right. */
function argumentsOf(json: string): Record<string, unknown> | undefined {
  const value = parsed(json) ?? parsed(escapeControls(json));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
