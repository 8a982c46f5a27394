import type { AgentOptions } from '@varve/agent';
import { lazy, type Json } from '@varve/events';
import { withoutUndefined } from '@varve/text';
import * as z from 'zod';
import type { SettingKey } from '../definitions/settings.ts';
import type { Settings } from '../layers/resolve-settings.ts';

type Limits = Pick<AgentOptions, 'budget' | 'stuck'>;

/** The part of settings that limits are read from. */
type Source = Pick<Settings, 'entries' | 'get'>;

/** Returns the limits and stuck rules that settings contain. */
export function limitsFromSettings(settings: Source): Limits {
  return { ...budgetOf(settings), ...stuckOf(settings) };
}

const count = lazy(() => z.number().positive().optional().catch(undefined));
const storedLimits = lazy(() =>
  z.object({
    budget: z
      .object({ maxIterations: count(), maxCostUsd: count(), maxTokens: count(), maxCalls: count(), maxMs: count() })
      .optional()
      .catch(undefined),
    stuck: z
      .union([
        z.literal('never'),
        z.object({
          repeatedResults: count(),
          repeatedErrors: count(),
          alternating: count(),
          monologue: count(),
          overflows: count(),
          window: z.enum(['user-message', 'conversation']).optional().catch(undefined),
          outputs: z.enum(['compared', 'exit-codes']).optional().catch(undefined),
        }),
      ])
      .optional()
      .catch(undefined),
  }),
);
type StoredLimits = z.output<ReturnType<typeof storedLimits>>;

/**
 * Returns the limits and stuck rules with which a conversation is resumed: those that flags change, in addition to the
 * stored ones, which apply without being passed. A conversation that has none, such as an imported one, has those of
 * the settings.
 */
export function resumedLimits(settings: Settings, spec: Json | undefined): Limits {
  const stored: Partial<StoredLimits> = storedLimits().safeParse(spec).data ?? {};
  const current = limitsFromSettings(settings);
  const changed = limitsFromSettings(flagsOf(settings));
  return withoutUndefined({
    budget: stored.budget
      ? changed.budget && { ...withoutUndefined(stored.budget), ...changed.budget }
      : current.budget,
    stuck: stored.stuck === undefined ? current.stuck : withFlags(stored.stuck, changed.stuck),
  });
}

function withFlags(stored: NonNullable<StoredLimits['stuck']>, changed: AgentOptions['stuck']): AgentOptions['stuck'] {
  if (changed === undefined || changed === 'never' || stored === 'never') return changed;
  return { ...withoutUndefined(stored), ...changed };
}

/** Returns the settings that flags set, without defaults. */
function flagsOf(settings: Settings): Source {
  const entries = settings.entries.filter(({ origin }) => origin.kind === 'flag');
  const keys = new Set<string>(entries.map(({ key }) => key));
  return { entries, get: (key) => (keys.has(key) ? settings.get(key) : undefined) };
}

function budgetOf(settings: Source): Pick<AgentOptions, 'budget'> {
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

function stuckOf(settings: Source): Pick<AgentOptions, 'stuck'> {
  if (!isSet(settings, 'stuck.')) return {};
  if (settings.get('stuck.detect') === false) return { stuck: 'never' };
  const rules = {
    repeatedResults: settings.get('stuck.repeated_results'),
    repeatedErrors: settings.get('stuck.repeated_errors'),
    alternating: settings.get('stuck.alternating'),
    monologue: settings.get('stuck.monologue'),
    overflows: settings.get('stuck.overflows'),
    window: settings.get('stuck.window'),
    outputs: settings.get('stuck.outputs'),
  };
  return { stuck: withoutUndefined(rules) };
}

/** Tests whether a source other than the defaults sets any of these settings: an agent without them has its own. */
function isSet(settings: Source, section: string): boolean {
  const set = settings.entries.filter(({ origin }) => origin.kind !== 'default');
  return set.some(({ key }: { readonly key: SettingKey }) => key.startsWith(section));
}
