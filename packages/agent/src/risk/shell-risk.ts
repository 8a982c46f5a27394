import type { RiskVerdict } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { verdictOf } from './highest-risk.ts';
import { readShell, type ShellCommand } from './read-shell.ts';
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
    assess({ action }) {
      if (!TerminalAction.is(action)) return undefined;
      const isInput = action.is_input && action.command !== '';
      return verdictOf(
        isInput ? [{ risk: 'UNKNOWN', text: 'It is input for a running program.' }] : findings(action.command, all),
      );
    },
  };
}

/** Returns what is not known to be harmless in a script. */
function findings(script: string, rules: readonly ShellRule[]): RiskVerdict['reasons'] {
  const { commands, isWhole } = readShell(script);
  const found = commands.flatMap((command): RiskVerdict['reasons'] => [
    ...rules.flatMap((rule) =>
      rule.matches(command) ? [{ risk: rule.risk, text: textOf(command), rule: rule.id }] : [],
    ),
    // `$FLAGS` in `rm $FLAGS` may contain any option of `rm`.
    ...(command.name === 'rm' && command.hasUnseenArgs
      ? [{ risk: 'UNKNOWN' as const, text: `The arguments of ${textOf(command)} are known only when it runs.` }]
      : []),
  ]);
  return [
    ...found,
    ...(isWhole ? [] : [{ risk: 'UNKNOWN' as const, text: 'A part of it is known only when it runs.' }]),
  ];
}

/** Returns the start of a command. Words are never cut: the rest of a secret would no longer be masked. */
function textOf({ name, args }: ShellCommand): string {
  let text = name;
  for (const arg of args) {
    const word = /\s/.test(arg) ? JSON.stringify(arg) : arg;
    if (text.length + word.length > 80) return `${text} …`;
    text = `${text} ${word}`;
  }
  return text;
}
