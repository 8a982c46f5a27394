import type { LoopVerdict } from './detect-loop.ts';
import { overflowNudge, type Overflow } from './overflow-projection.ts';
import type { StuckRules } from './stuck-rules.ts';

/** What is to be done about a context that overflows again and again: the model is told once, then the run ends. */
export function overflowVerdict(
  { streak, wasNudged: isTold }: Overflow,
  { overflows }: StuckRules,
): LoopVerdict | undefined {
  if (streak < overflows) return undefined;
  if (!isTold) return { kind: 'nudge', message: overflowNudge };
  return streak > overflows ? { kind: 'stuck' } : undefined;
}
