import { AgentError } from '../error.ts';

/**
 * When an agent counts as stuck. Numbers are replies in a row, at least 2. At each of them the model is told once; when its
 * next reply goes on the same way the run ends as `stuck`.
 *
 * @see software-agent-sdk StuckDetectionThresholds (there replies of several calls are compared call by call, the words
 * beside a call count, and only failing calls are told of first)
 */
export interface StuckRules {
  /** The same calls with the same results; default 4. */
  readonly repeatedResults: number;
  /** The same calls, all of which fail, however; default 3. */
  readonly repeatedErrors: number;
  /** Two replies by turns, with their results: the number of both; default 6. */
  readonly alternating: number;
  /** Replies without calls that do not end the run; default 3. Each of them is told of. */
  readonly monologue: number;
  /** Contexts that are too long again one reply after they were made smaller; default 3. */
  readonly overflows: number;
  /** Where looking back ends: at what the user said last, which is the default, or nowhere. */
  readonly window: 'user-message' | 'conversation';
  /** What makes two results of a command the same: all of them, which is the default, or only its exit code. */
  readonly outputs: 'compared' | 'exit-codes';
}

const defaults: StuckRules = {
  repeatedResults: 4,
  repeatedErrors: 3,
  alternating: 6,
  monologue: 3,
  overflows: 3,
  window: 'user-message',
  outputs: 'compared',
};

/** Fills in the defaults. @throws {AgentError} `invalid` for a number below 2. */
export function stuckRules(options: Partial<StuckRules> = {}): StuckRules {
  const rules = { ...defaults, ...options };
  for (const name of ['repeatedResults', 'repeatedErrors', 'alternating', 'monologue', 'overflows'] as const) {
    if (Number.isInteger(rules[name]) && rules[name] >= 2) continue;
    throw new AgentError('invalid', `${name} is ${rules[name]}, but it takes 2 replies to repeat one.`);
  }
  return rules;
}
