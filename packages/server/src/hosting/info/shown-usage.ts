import { sumOfUsage, type Usage } from '@varve/events/projections';
import type { ConversationFold } from './conversation-folds.ts';

/** Returns the usage that a conversation shows, by usage id: its own, and that of the origin if a fork keeps it. */
export function shownUsage({
  stats,
  reported,
}: Pick<ConversationFold, 'stats' | 'reported'>): Readonly<Record<string, Usage>> {
  const total: Record<string, Usage> = { ...stats.byUsageId };
  for (const [id, usage] of Object.entries(reported.configuration?.inherited_usage ?? {})) {
    const usageHere = total[id];
    total[id] = usageHere ? sumOfUsage(usageHere, usage) : usage;
  }
  return total;
}
