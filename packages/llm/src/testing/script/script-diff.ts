import type { ScriptedStep } from './scripted-step.ts';

/** A request and its step. */
export interface ScriptEntry {
  /** End of the request. */
  readonly request: string;
  /** Absent when no step was left. */
  readonly step?: ScriptedStep;
  /** Reason why the request does not match the step. */
  readonly problem?: string;
}

/** Maximum number of requests in the comparison. */
const maxLines = 20;

/**
 * Compares a script with its requests, one line each. A matching step begins with its number, a mismatch with `!`, a
 * request without a step with `+`, a step without a request with `-`.
 */
export function scriptDiff(exchanges: readonly ScriptEntry[], unrequested: readonly ScriptedStep[]): string {
  const lines = exchanges.map(({ request, step, problem }, index) => {
    const position = `${index + 1} request "${short(request)}"`;
    if (step === undefined) return `+ ${position}, no step left`;
    return problem === undefined ? `  ${position}, ${describeStep(step)}` : `! ${position}, ${describeMismatch(step)}`;
  });
  const missing = unrequested.map(
    (step, index) => `- ${exchanges.length + index + 1} not requested, ${describeStep(step)}`,
  );
  const hidden = Math.max(0, lines.length - maxLines);
  return [...(hidden > 0 ? [`  ${hidden} earlier requests`] : []), ...lines.slice(hidden), ...missing].join('\n');
}

function describeMismatch(step: ScriptedStep): string {
  const expected = typeof step === 'function' ? undefined : step.expect;
  return expected === undefined ? `${describeStep(step)}, which threw` : `expected ${String(expected)}`;
}

/** Describes a step in a few words. */
function describeStep(step: ScriptedStep): string {
  if (typeof step === 'function') return 'a function';
  const { text, reasoning, calls = [], error, fault } = step;
  const parts = [
    ...(error ? [`fails with ${error.code}`] : []),
    ...(fault ? [`has the fault ${fault.kind}`] : []),
    ...(text === undefined ? [] : [`replies "${short(text)}"`]),
    ...(calls.length > 0 ? [`calls ${calls.map(({ name }) => name).join(', ')}`] : []),
    ...(reasoning === undefined ? [] : ['has reasoning']),
  ];
  return parts.join(' and ') || 'replies nothing';
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
