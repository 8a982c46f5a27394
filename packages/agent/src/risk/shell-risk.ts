import type { SecurityRisk } from '@varve/events/kinds';
import { TerminalAction } from '@varve/events/payloads';
import { highestRisk } from './highest-risk.ts';
import { readShell } from './read-shell.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';
import { shellRules, type ShellRule } from './shell-rules.ts';

/** What counts as dangerous. */
export interface ShellRiskOptions {
  /** Asked beside the built-in rules. Pure. */
  readonly rules?: readonly ShellRule[];
}

/**
 * Parses the commands of the terminal and looks at each simple command in them, also inside of `sudo`, `xargs`,
 * `find -exec`, `sh -c` and substitutions. What cannot be told before it runs (a variable as the command, code for an
 * interpreter, input for a running program, broken syntax) is UNKNOWN. It says nothing of other tools.
 *
 * It finds what is dangerous by mistake, not what is hidden on purpose: a script file may hold anything.
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
    // `rm $FLAGS` may be anything that `rm` can be.
    ...(command.name === 'rm' && command.hasUnseenArgs ? (['UNKNOWN'] as const) : []),
  ]);
  return highestRisk(['LOW', ...risks, ...(isWhole ? [] : (['UNKNOWN'] as const))]) ?? 'UNKNOWN';
}
