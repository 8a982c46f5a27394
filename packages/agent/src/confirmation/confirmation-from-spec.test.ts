import type { PartSpec } from '@varve/events/specs';
import { partKindContract } from '@varve/events/testing';
import { expect, test } from 'vitest';
import { alwaysConfirm, confirmRisky, neverConfirm } from '../index.ts';
import { ensembleRisk, modelRisk, shellRisk, workspaceRisk, type RiskAnalyzer } from './index.ts';
import { riskKinds } from '../risk/risk-kinds.ts';
import { builtinConfirmations, confirmationFromSpec } from './confirmation-from-spec.ts';
import { confirmationKinds } from './confirmation-kinds.ts';
import { confirmAllButEdits, onlyReading } from './policies.ts';
import type { ConfirmationPolicy } from './confirmation-policy.ts';

/** A policy of each kind: add its line here. */
const policies: Readonly<Record<string, ConfirmationPolicy>> = {
  NeverConfirm: neverConfirm(),
  AlwaysConfirm: alwaysConfirm(),
  ConfirmAllButEdits: confirmAllButEdits(),
  OnlyReading: onlyReading(),
  ConfirmRisky: confirmRisky({ threshold: 'LOW', confirmUnknown: false }),
};

/** An analyzer of each kind: add its line here. */
const analyzers: Readonly<Record<string, RiskAnalyzer>> = {
  LLMSecurityAnalyzer: modelRisk(),
  WorkspaceRiskAnalyzer: workspaceRisk(),
  ShellRiskAnalyzer: shellRisk(),
  EnsembleSecurityAnalyzer: ensembleRisk([modelRisk(), workspaceRisk()]),
};

const withoutAnalyzer = () => ({ storedAnalyzer: () => undefined });
const analyzerOf = (spec: unknown): RiskAnalyzer => analyzers[(spec as PartSpec).kind] ?? modelRisk();

test.for(
  partKindContract.flatMap((check) => confirmationKinds.map((kind) => [kind.kind, check.title, kind, check] as const)),
)('%s %s', ([name, , kind, check]) => {
  const example = (policies[name]?.spec ?? {}) as PartSpec;
  check.run({ kind, example, contextAt: withoutAnalyzer, specOf: ({ spec }: ConfirmationPolicy) => spec });
});

test.for(
  partKindContract.flatMap((check) => riskKinds().map((kind) => [kind.kind, check.title, kind, check] as const)),
)('%s %s', ([name, , kind, check]) => {
  const example = (analyzers[name]?.spec ?? {}) as PartSpec;
  check.run({ kind, example, contextAt: () => ({ analyzer: analyzerOf }), specOf: ({ spec }: RiskAnalyzer) => spec });
});

test('a policy is rebuilt with its analyzer', () => {
  const policy = confirmRisky({ analyzer: ensembleRisk([modelRisk(), ensembleRisk([shellRisk()]), workspaceRisk()]) });
  const again = confirmationFromSpec(policy.spec, policy.analyzer);
  expect([again.spec, again.analyzer]).toEqual([policy.spec, policy.analyzer]);
});

test('policies and rules of the application are rebuilt from its own kinds', () => {
  const rule = { id: 'mine', risk: 'HIGH', matches: () => true } as const;
  const policy = confirmRisky({ analyzer: shellRisk({ rules: [rule] }) });
  expect(() => confirmationFromSpec(policy.spec, policy.analyzer)).toThrow('security_analyzer (ShellRiskAnalyzer)');
  const registries = { ...builtinConfirmations, analyzers: riskKinds({ shellRules: [rule] }) };
  expect(confirmationFromSpec(policy.spec, policy.analyzer, registries).analyzer).toEqual(policy.analyzer);
});

test.for([
  [{ kind: 'Mine' }, undefined, 'confirmation_policy (Mine): no part of this kind'],
  [{ kind: 'ConfirmRisky', threshold: 'ANY' }, undefined, 'confirmation_policy.threshold (ConfirmRisky): "ANY"'],
  [{ kind: 'ConfirmRisky' }, { kind: 'Gray' }, 'security_analyzer (Gray): no part'],
  [
    { kind: 'ConfirmRisky' },
    { kind: 'EnsembleSecurityAnalyzer', analyzers: [{ kind: 'LLMSecurityAnalyzer' }, 7] },
    'security_analyzer.analyzers.1: 7 is not an object with a kind',
  ],
] as const)('%j with %j is refused, and the path is named', ([policy, analyzer, message]) => {
  expect(() => confirmationFromSpec(policy, analyzer)).toThrow(message);
});
