import type { AgentOptions } from '@varve/agent';
import type { SettingKey } from '../definitions/settings.ts';
import type { Settings } from '../layers/resolve-settings.ts';
import { withoutUndefined } from '../without-undefined.ts';

/** Returns the limits and stuck rules that settings contain. */
export function limitsFromSettings(settings: Settings): Pick<AgentOptions, 'budget' | 'stuck'> {
  return { ...budgetOf(settings), ...stuckOf(settings) };
}

function budgetOf(settings: Settings): Pick<AgentOptions, 'budget'> {
  if (!isSet(settings, 'budget.')) return {};
  const seconds = settings.get('budget.seconds');
  const limits = {
    maxIterations: settings.get('budget.steps'),
    maxCostUsd: settings.get('budget.cost_usd'),
    maxTokens: settings.get('budget.tokens'),
    maxCalls: settings.get('budget.calls'),
    maxMs: seconds === undefined ? undefined : Math.max(1, Math.round(seconds * 1000)),
  };
  return { budget: withoutUndefined(limits) };
}

function stuckOf(settings: Settings): Pick<AgentOptions, 'stuck'> {
  if (!isSet(settings, 'stuck.')) return {};
  if (settings.get('stuck.detect') === false) return { stuck: 'never' };
  const rules = {
    repeatedResults: settings.get('stuck.repeated_results'),
    repeatedErrors: settings.get('stuck.repeated_errors'),
    alternating: settings.get('stuck.alternating'),
    monologue: settings.get('stuck.monologue'),
    overflows: settings.get('stuck.overflows'),
  };
  return { stuck: withoutUndefined(rules) };
}

/** Tests whether a source other than the defaults sets any of these settings: an agent without them has its own. */
function isSet(settings: Settings, section: string): boolean {
  const set = settings.entries.filter(({ origin }) => origin.kind !== 'default');
  return set.some(({ key }: { readonly key: SettingKey }) => key.startsWith(section));
}
