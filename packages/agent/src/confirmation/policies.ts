import type { SecurityRisk } from '@varve/events/kinds';
import { TaskTrackerAction } from '@varve/events/payloads';
import type { ConfirmationPolicy } from './confirmation-policy.ts';
import { isReading } from '../commands/proposed-call.ts';
import { ensembleRisk } from '../risk/ensemble-risk.ts';
import { modelRisk } from '../risk/model-risk.ts';
import type { RiskAnalyzer } from '../risk/risk-analyzer.ts';
import { readingRisk } from '../risk/shell-risk.ts';
import { workspaceRisk } from '../risk/workspace-risk.ts';

const rank = { LOW: 0, MEDIUM: 1, HIGH: 2 } as const;

/** Options of {@link confirmRisky}. */
export interface ConfirmRiskyOptions {
  /** Lowest risk to ask about; default HIGH. */
  readonly threshold?: Exclude<SecurityRisk, 'UNKNOWN'>;
  /** Asks about calls of unknown risk; default true. */
  readonly confirmUnknown?: boolean;
  /** Rates calls; default the model's own rating. Calls that it does not rate are of unknown risk. */
  readonly analyzer?: RiskAnalyzer;
}

/**
 * Asks about risky calls and calls of unknown risk. Calls with the effect `read` pass. If the analyzer throws, the call
 * is HIGH.
 *
 * @see software-agent-sdk ConfirmRisky
 */
export function confirmRisky({
  threshold = 'HIGH',
  confirmUnknown = true,
  analyzer,
}: ConfirmRiskyOptions = {}): ConfirmationPolicy {
  const analyzers = ensembleRisk([analyzer ?? modelRisk()]);
  return {
    spec: { threshold, confirm_unknown: confirmUnknown, kind: 'ConfirmRisky' },
    ...(analyzer && { analyzer: analyzer.spec }),
    review(call) {
      if (isReading(call)) return { asks: false };
      const verdict = analyzers.assess(call);
      const risk = verdict?.risk ?? 'UNKNOWN';
      const asks = risk === 'UNKNOWN' ? confirmUnknown : rank[risk] >= rank[threshold];
      // The model's own rating is a field of the action.
      return { asks, ...(analyzer && verdict && { verdict }) };
    },
  };
}

/** Asks about everything but reading, also with commands that are known to only read, and edits of the workspace. */
export function confirmAllButEdits(): ConfirmationPolicy {
  const policy = confirmRisky({ analyzer: ensembleRisk([readingRisk(), workspaceRisk()]) });
  return { spec: { kind: 'ConfirmAllButEdits' }, review: (call) => policy.review(call) };
}

/** Denies everything but reading, also with commands that are known to only read, and the task list. */
export function onlyReading(): ConfirmationPolicy {
  const commands = readingRisk();
  return {
    spec: { kind: 'OnlyReading' },
    review(call) {
      const isList = TaskTrackerAction.is(call.action);
      if (isReading(call) || isList || commands.assess(call)?.risk === 'LOW') return { asks: false };
      return { asks: false, denies: true, rule: 'plan mode, in which only reading runs' };
    },
  };
}

/** Asks before every reply with calls, except one that only thinks or finishes. */
export function alwaysConfirm(): ConfirmationPolicy {
  return { spec: { kind: 'AlwaysConfirm' }, review: () => ({ asks: true }) };
}

/** Runs everything without asking. */
export function neverConfirm(): ConfirmationPolicy {
  return { spec: { kind: 'NeverConfirm' }, review: () => ({ asks: false }) };
}
