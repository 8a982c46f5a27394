import type { UnknownKind } from './unknowns.ts';

/** `runs` for commands that run, `may-run` for arguments that a program may run, `text` for any other text. */
export type Certainty = 'runs' | 'may-run' | 'text';

/** Kinds that are reported for commands that may not run. */
const reported: Readonly<Record<Exclude<Certainty, 'runs'>, ReadonlySet<UnknownKind>>> = {
  'may-run': new Set([
    'unknown.code',
    'unknown.program',
    'unknown.size',
    'unknown.later',
    'unknown.arithmetic',
    'unknown.command',
    'unknown.arguments',
    'unknown.option',
  ]),
  text: new Set(['unknown.code', 'unknown.program', 'unknown.size', 'unknown.later', 'unknown.arithmetic']),
};

/** Reports whether what is unknown matters: all of it in commands that run. */
export function isReported(kind: UnknownKind, certainty: Certainty): boolean {
  return certainty === 'runs' || reported[certainty].has(kind);
}
