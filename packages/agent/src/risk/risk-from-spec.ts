import type { Json } from '@varve/events';
import * as z from 'zod';
import { ensembleRisk } from './ensemble-risk.ts';
import { modelRisk } from './model-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';
import { shellRisk } from './shell-risk.ts';
import { shellRules } from './shell-rules.ts';
import { workspaceRisk } from './workspace-risk.ts';

const specs = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('LLMSecurityAnalyzer') }),
  z.looseObject({ kind: z.literal('WorkspaceRiskAnalyzer') }),
  z.looseObject({ kind: z.literal('ShellRiskAnalyzer'), rules: z.array(z.string()) }),
  z.looseObject({ kind: z.literal('EnsembleSecurityAnalyzer'), analyzers: z.array(z.json()).min(1) }),
]);

const builtin = new Set<string>(shellRules.map(({ id }) => id));

/** Returns the analyzer for a spec; undefined when only the application can make it, for example with custom rules. */
export function riskFromSpec(spec: Json): RiskAnalyzer | undefined {
  const { data } = specs.safeParse(spec);
  if (data?.kind === 'LLMSecurityAnalyzer') return modelRisk();
  if (data?.kind === 'WorkspaceRiskAnalyzer') return workspaceRisk();
  if (data?.kind === 'ShellRiskAnalyzer')
    return data.rules.every((rule) => builtin.has(rule)) ? shellRisk() : undefined;
  if (!data) return undefined;
  const members = data.analyzers.flatMap((member) => riskFromSpec(member) ?? []);
  return members.length === data.analyzers.length ? ensembleRisk(members) : undefined;
}
