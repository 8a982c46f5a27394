import type { ScriptedStep } from './scripted-step.ts';

/** One request that came, and the step that was dealt to it. */
export interface Exchange {
  /** How the request ended. */
  readonly asked: string;
  /** Absent when no step was left. */
  readonly step?: ScriptedStep;
  /** Why the two do not fit. */
  readonly problem?: string;
}

/** More lines than a person reads. */
const shown = 20;

/**
 * A script beside what it was asked, a line each: steps that fitted begin with their number, those that did not with `!`,
 * requests without a step with `+`, and steps that were never asked for with `-`.
 */
export function scriptDiff(exchanges: readonly Exchange[], left: readonly ScriptedStep[]): string {
  const lines = exchanges.map(({ asked, step, problem }, index) => {
    const request = `"${short(asked)}"`;
    if (step === undefined) return `+ ${index + 1} asked ${request}, with no step left`;
    return problem === undefined
      ? `  ${index + 1} asked ${request}, ${describeStep(step)}`
      : `! ${index + 1} asked ${request}, ${expected(step)}`;
  });
  const missing = left.map((step, index) => `- ${exchanges.length + index + 1} never asked for, ${describeStep(step)}`);
  const hidden = Math.max(0, lines.length - shown);
  return [...(hidden > 0 ? [`  ${hidden} more before`] : []), ...lines.slice(hidden), ...missing].join('\n');
}

function expected(step: ScriptedStep): string {
  const wanted = typeof step === 'function' ? undefined : step.expect;
  return wanted === undefined ? `${describeStep(step)}, which threw` : `expected ${String(wanted)}`;
}

/** What a step does, in a few words. */
function describeStep(step: ScriptedStep): string {
  if (typeof step === 'function') return 'answers by a function';
  const { text, reasoning, calls = [], error, fault } = step;
  const said = [
    ...(error ? [`fails with ${error.code}`] : []),
    ...(fault ? [`breaks by ${fault.kind}`] : []),
    ...(text === undefined ? [] : [`says "${short(text)}"`]),
    ...(calls.length > 0 ? [`calls ${calls.map(({ name }) => name).join(', ')}`] : []),
    ...(reasoning === undefined ? [] : ['thinks']),
  ];
  return said.join(' and ') || 'says nothing';
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= 60 ? line : `${line.slice(0, 59).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
