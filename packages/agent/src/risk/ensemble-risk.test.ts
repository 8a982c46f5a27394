import { expect, test } from 'vitest';
import type { SecurityRisk } from '@varve/events/kinds';
import { TerminalAction } from '@varve/events/payloads';
import { countingTool } from '../testing/counting-tool.ts';
import { ensembleRisk } from './ensemble-risk.ts';
import { modelRisk } from './model-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';

const call = { tool: countingTool().tool(), action: TerminalAction.create({ command: 'ls' }), risk: 'LOW' } as const;
const rated = (risk: SecurityRisk): RiskAnalyzer => ({ spec: null, assess: () => ({ risk, reasons: [] }) });
const risks = (...all: readonly SecurityRisk[]) => ensembleRisk([modelRisk(), ...all.map(rated)]).assess(call)?.risk;

test('the highest risk of an ensemble wins', () => {
  expect([risks(), risks('MEDIUM', 'LOW'), risks('UNKNOWN', 'MEDIUM'), risks('UNKNOWN', 'HIGH')]).toEqual([
    'LOW',
    'MEDIUM',
    'UNKNOWN',
    'HIGH',
  ]);
});

test('an analyzer that throws counts as HIGH, and an empty ensemble is refused', () => {
  const failing: RiskAnalyzer = {
    spec: null,
    assess() {
      throw new Error('no');
    },
  };
  expect(ensembleRisk([failing]).assess(call)?.risk).toBe('HIGH');
  expect(() => ensembleRisk([])).toThrow('at least one analyzer');
});
