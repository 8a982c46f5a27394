import type { RunResult } from '@varve/agent';

const limits = {
  'max-iterations': 'step limit',
  'max-cost': 'cost limit',
  'max-tokens': 'token limit',
  'max-calls': 'model-call limit',
  'max-time': 'time limit',
} as const;

const causes = {
  'repeated-calls': 'the agent repeats the same calls',
  'text-only': 'the model describes the work instead of doing it',
  'unusable-replies': 'the last replies of the model were empty or unusable',
  overflows: "the results do not fit the model's context window, even after compaction",
} as const;

/** Limits that were typed. */
interface LimitFlags {
  readonly maxSteps?: number;
}

/** Returns the sentence about a run that ended before its work was done; undefined for other ends and for errors. */
export function endSentence(result: RunResult, options: LimitFlags = {}): string | undefined {
  switch (result.reason) {
    case 'paused':
      return 'Paused.';
    case 'interrupted':
      return 'Interrupted.';
    case 'max-iterations':
    case 'max-cost':
    case 'max-tokens':
    case 'max-calls':
    case 'max-time':
      return `Stopped at the ${limits[result.reason]}${limitFlag(result.reason, options)}.`;
    case 'stuck':
      return `Stopped: ${causes[result.cause]}.`;
    case 'finished':
    case 'asked':
    case 'waiting':
    case 'error':
      break;
  }
  return undefined;
}

function limitFlag(reason: keyof typeof limits, { maxSteps }: LimitFlags): string {
  return reason === 'max-iterations' && maxSteps !== undefined ? ` (--max-steps ${maxSteps})` : '';
}
