import type { SecurityRisk } from '@varve/events/kinds';
import { TerminalAction } from '@varve/events/payloads';
import { highestRisk } from './highest-risk.ts';
import { readShell } from './read-shell.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';
import { shellRules, type ShellRule } from './shell-rules.ts';

/** Options of {@link shellRisk}. */
export interface ShellRiskOptions {
  /** Rules in addition to the built-in ones. Pure. */
  readonly rules?: readonly ShellRule[];
}

/**
 * Parses the commands of the terminal and rates each simple command in them, also inside `sudo`, `xargs`, `find -exec`,
 * `sh -c` and substitutions. Commands that are only known when they run (a variable as the command, code for an
 * interpreter, input for a running program, invalid syntax) are UNKNOWN. Other tools are not rated.
 *
 * Detects accidental danger, not commands that are hidden on purpose: a script file may contain anything.
 *
 * @see software-agent-sdk PatternSecurityAnalyzer (regular expressions over all text, and a syntax tree for `rm` only)
 */
export function shellRisk({ rules = [] }: ShellRiskOptions = {}): RiskAnalyzer {
  const all = [...shellRules, ...rules];
  return {
    spec: { rules: all.map(({ id }) => id), kind: 'ShellRiskAnalyzer' },
    riskOf({ action }) {
      if (!TerminalAction.is(action)) return undefined;
      return action.is_input && action.command !== '' ? 'UNKNOWN' : riskOfScript(action.command, all);
    },
  };
}

function riskOfScript(script: string, rules: readonly ShellRule[]): SecurityRisk {
  const { commands, isWhole } = readShell(script);
  const risks = commands.flatMap((command): SecurityRisk[] => [
    ...rules.flatMap((rule) => (rule.matches(command) ? [rule.risk] : [])),
    // `$FLAGS` in `rm $FLAGS` may contain any option of `rm`.
    ...(command.name === 'rm' && command.hasUnseenArgs ? (['UNKNOWN'] as const) : []),
  ]);
  return highestRisk(['LOW', ...risks, ...(isWhole ? [] : (['UNKNOWN'] as const))]) ?? 'UNKNOWN';
}
