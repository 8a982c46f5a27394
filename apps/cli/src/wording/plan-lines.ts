import type { Conversation } from '@varve/agent';

/** What a return to earlier files would do. */
export type FilesPlan = Awaited<ReturnType<Conversation['navigate']>>;

/** Returns a line for each file of a plan. */
export function planLines({ steps }: FilesPlan): readonly string[] {
  return steps.map(({ kind, path, reason }) => `${kind} ${path}${reason === undefined ? '' : `: ${reason}`}`);
}

/** Returns the files that are not as they were: by the plan, and those that changed while it was executed. */
export function pathsLeft({ steps, left }: FilesPlan): readonly string[] {
  return [...left, ...steps.flatMap(({ kind, path }) => (kind === 'conflict' || kind === 'cannot' ? [path] : []))];
}
