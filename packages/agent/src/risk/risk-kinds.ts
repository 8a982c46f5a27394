import type { Json } from '@varve/events';
import { definePartKind, type PartKind, type SpecPath } from '@varve/events/specs';
import * as z from 'zod';
import { AgentError } from '../error.ts';
import { ensembleRisk } from './ensemble-risk.ts';
import { modelRisk } from './model-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';
import { shellRisk, type ShellRiskOptions } from './shell-risk.ts';
import { workspaceRisk } from './workspace-risk.ts';

/** Context in which an analyzer is rebuilt. */
export interface RiskContext {
  /** Rebuilds an analyzer inside of another one. @throws {SpecError} */
  readonly analyzer: (spec: Json, ...position: SpecPath) => RiskAnalyzer;
}

/** Kind of analyzer that can be rebuilt from its spec. */
export type RiskKind = PartKind<RiskAnalyzer, RiskContext>;

/** Options of {@link riskKinds}. */
export interface RiskKindsOptions {
  /** Rules of the application: an analyzer that was stored with one of them needs it. */
  readonly shellRules?: NonNullable<ShellRiskOptions['rules']>;
}

/** Returns the analyzers of this package that can be rebuilt from their specs: a new one is an entry here. */
export function riskKinds({ shellRules: applicationRules = [] }: RiskKindsOptions = {}): readonly RiskKind[] {
  return [
    definePartKind({
      kind: 'LLMSecurityAnalyzer',
      options: () => z.object({}),
      create: (): RiskAnalyzer => modelRisk(),
    }),
    definePartKind({
      kind: 'WorkspaceRiskAnalyzer',
      options: () => z.object({}),
      create: (): RiskAnalyzer => workspaceRisk(),
    }),
    definePartKind({
      kind: 'ShellRiskAnalyzer',
      options: () => z.object({ rules: z.array(z.string()) }),
      create: ({ rules }): RiskAnalyzer => shellRisk({ rules: storedRules(rules, applicationRules) }),
    }),
    definePartKind({
      kind: 'EnsembleSecurityAnalyzer',
      options: () => z.object({ analyzers: z.array(z.json()).min(1), propagate_unknown: z.boolean().default(true) }),
      create: ({ analyzers }, context: RiskContext): RiskAnalyzer =>
        ensembleRisk(analyzers.map((spec, index) => context.analyzer(spec, 'analyzers', index))),
    }),
  ];
}

/** Rules that earlier versions stored: what they covered is decided by the sandbox and by the tables now. */
const earlier =
  /^(?:exec\.|catastrophic-delete$|delete|write\.system$|permissions|read\.credentials$|machine\.|git\.|containers|publish$|remote\.delete$|data\.delete$|processes|privilege$|install$)/;

/** Returns the rules of the application among the stored ones. */
function storedRules(
  ids: readonly string[],
  rules: NonNullable<ShellRiskOptions['rules']>,
): NonNullable<ShellRiskOptions['rules']> {
  return ids.flatMap((id) => {
    const rule = rules.find((known) => known.id === id);
    if (rule) return [rule];
    if (earlier.test(id)) return [];
    throw new AgentError('invalid', `the rule ${JSON.stringify(id)} is one of the application.`);
  });
}
