import { AgentError } from './error.ts';

/** Refuses a limit of steps that is none. @throws {AgentError} `invalid`. */
export function checkIterations(maxIterations: number): void {
  if (Number.isInteger(maxIterations) && maxIterations >= 1) return;
  throw new AgentError('invalid', `maxIterations is ${maxIterations}, but at least 1 step is needed.`);
}
