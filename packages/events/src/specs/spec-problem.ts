import type * as z from 'zod';
import type { Json } from '../json.ts';
import type { SpecPath } from './part-kind.ts';

/** A part of a spec that could not be rebuilt, or an option of it that was ignored. */
export interface SpecProblem {
  /** Position in the spec, such as `condenser.model.baseUrl`; empty for the whole spec. */
  readonly path: string;
  /** Kind of the part; empty if the spec names none. */
  readonly kind: string;
  /** One sentence, without secrets. */
  readonly reason: string;
}

/** Thrown when a part cannot be rebuilt from its spec. The problem is that of the innermost part. */
export class SpecError extends Error {
  override readonly name = 'SpecError';
  readonly code = 'not-rebuilt';
  readonly problem: SpecProblem;

  constructor(problem: SpecProblem, options?: ErrorOptions) {
    super(describeProblem(problem), options);
    this.problem = problem;
  }
}

/** Returns one line about a problem: `condenser (rolling-window): maxEvents is …`. */
export function describeProblem({ path, kind, reason }: SpecProblem): string {
  const where = path === '' ? 'The spec' : path;
  return kind === '' ? `${where}: ${reason}` : `${where} (${kind}): ${reason}`;
}

/** Returns a path as text: `models.0.baseUrl`. */
export function pathText(path: SpecPath): string {
  return path.join('.');
}

const secretNames = /key|token|secret|passw|auth|cookie|credential|header/i;
const maxLength = 60;

/** Returns a short text for a value in a message: long values are cut, and those of secret names are left out. */
export function valueText(value: Json | undefined, path: SpecPath): string {
  if (path.some((step) => secretNames.test(String(step)))) return 'a value that is not shown';
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const json = JSON.stringify(value);
  return json.length > maxLength ? `${json.slice(0, maxLength)}…` : json;
}

/** Returns why the options of a spec do not match their schema, naming the first invalid field and its value. */
export function optionProblem(spec: Json, error: z.ZodError, path: SpecPath): Pick<SpecProblem, 'path' | 'reason'> {
  const [issue] = error.issues;
  const steps = (issue?.path ?? []).map((step) => (typeof step === 'number' ? step : String(step)));
  const at = [...path, ...steps];
  return { path: pathText(at), reason: `${valueText(valueAt(spec, steps), at)} is invalid: ${issue?.message ?? ''}.` };
}

function valueAt(value: Json | undefined, path: SpecPath): Json | undefined {
  return path.reduce<Json | undefined>((inner, step) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return (inner as Readonly<Record<string | number, Json | undefined>>)[step];
  }, value);
}
