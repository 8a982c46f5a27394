import type { CacheBreak, LogCost, StepCost } from '@varve/agent/replay';
import { sumOfUsage, type Usage } from '@varve/events/projections';
import { localTime } from './formats.ts';

/** Sums of usage by name. */
export type Sums = Map<string, Usage>;

/** What used the tokens of conversations. */
export class CostSums {
  total: Usage | undefined;
  readonly by = {
    purpose: new Map() as Sums,
    model: new Map() as Sums,
    day: new Map() as Sums,
    directory: new Map() as Sums,
    conversation: new Map() as Sums,
  };
  /** Estimated tokens of results by tool: once, and for each request that contained them. */
  readonly tools = new Map<string, { results: number; tokens: number; sentTokens: number }>();
  readonly steps: (StepCost & { readonly id: string })[] = [];
  readonly breaks: (CacheBreak & { readonly id: string })[] = [];

  /** @param hasChildren True to count the sub-agents of a conversation that are not added themselves. */
  add(id: string, directory: string, { stats, steps, results, breaks }: LogCost, hasChildren: boolean): void {
    for (const [purpose, usage] of Object.entries(stats.byUsageId)) {
      if (!hasChildren && purpose.startsWith('child:')) continue;
      this.total = this.total ? sumOfUsage(this.total, usage) : usage;
      this.#add({ purpose, directory, conversation: id }, usage);
    }
    for (const step of steps) {
      this.#add({ model: step.model, day: localTime(step.at).slice(0, 10) }, step.usage);
      this.steps.push({ id, ...step });
    }
    for (const { tool, tokens, requests } of results) {
      const sum = this.tools.get(tool) ?? { results: 0, tokens: 0, sentTokens: 0 };
      const sentTokens = sum.sentTokens + tokens * requests;
      this.tools.set(tool, { results: sum.results + 1, tokens: sum.tokens + tokens, sentTokens });
    }
    this.breaks.push(...breaks.map((each) => ({ id, ...each })));
  }

  #add(names: Partial<Record<keyof CostSums['by'], string>>, usage: Usage): void {
    for (const [group, name] of Object.entries(names) as [keyof CostSums['by'], string][]) {
      const sum = this.by[group].get(name);
      this.by[group].set(name, sum ? sumOfUsage(sum, usage) : usage);
    }
  }
}
