import type { RiskVerdict } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { verdictOf } from './highest-risk.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';
import { shellRules, type ShellRule } from './rules/shell-rules.ts';
import { limits } from '../shell/words/limits.ts';
import type { ShellReading } from '../shell/read-shell.ts';
import { readTerminal } from '../shell/read-terminal.ts';
import type { ShellCommand } from '../shell/shell-command.ts';
import { unknownKinds, type Unknown } from '../shell/words/unknowns.ts';

/** Options of {@link shellRisk}. */
export interface ShellRiskOptions {
  /** Rules in addition to the built-in ones. Pure. */
  readonly rules?: readonly ShellRule[];
}

/**
 * Parses the commands of the terminal and rates each simple command in them, also inside `sudo`, `xargs`, `find -exec`,
 * `sh -c`, substitutions and variables. What is only known when it runs (a variable as the command, code for an
 * interpreter, input for a running program, invalid syntax, an unknown option of a wrapper) is UNKNOWN. Other tools are
 * not rated.
 *
 * Detects dangerous commands of a model that makes mistakes or was misled. It does not contain a program: a script file
 * or `npm test` may do anything.
 *
 * @see software-agent-sdk PatternSecurityAnalyzer (regular expressions over all text, and a syntax tree for `rm` only)
 */
export function shellRisk({ rules = [] }: ShellRiskOptions = {}): RiskAnalyzer {
  const all: readonly ShellRule[] = [...shellRules, ...rules];
  return {
    spec: { rules: all.map(({ id }) => id), kind: 'ShellRiskAnalyzer' },
    assess(call) {
      if (!TerminalAction.is(call.action)) return undefined;
      const { command, is_input: isInput } = call.action;
      if (isInput) return verdictOf(command === '' ? [] : [reasonOf({ kind: 'unknown.input', text: command })]);
      const reading = readTerminal(call);
      if (!reading) return verdictOf([reasonOf({ kind: 'unknown.size', text: '' })]);
      // All findings are rated before some are left out.
      const { risk, reasons } = verdictOf(findings(reading, all));
      return { risk, reasons: reasons.slice(0, limits.reasons) };
    },
  };
}

type Reasons = RiskVerdict['reasons'];

/** Returns what is not known to be harmless in a script. */
function findings({ commands, unknowns }: ShellReading, rules: readonly ShellRule[]): Reasons {
  const found = commands.flatMap((command) => matches(command, rules));
  return distinct([...found, ...unknowns.map(reasonOf)]);
}

function matches(command: ShellCommand, rules: readonly ShellRule[]): Reasons {
  const matching = rules.filter((rule) => rule.matches(command));
  const text = matching.length > 0 ? textOf(command) : '';
  if (!command.isPossible) return matching.map(({ id, risk }) => ({ risk, text, rule: id }));
  // The program may not run its arguments at all.
  return matching.flatMap(({ id, risk }) => (risk === 'HIGH' ? [{ risk: 'UNKNOWN' as const, text, rule: id }] : []));
}

function reasonOf({ kind, text }: Unknown): Reasons[number] {
  const shown = shortened(text.split(/\s+/));
  return { risk: 'UNKNOWN', text: `${unknownKinds[kind]}${shown === '' ? '' : `: ${shown}`}`, rule: kind };
}

function distinct(reasons: Reasons): Reasons {
  return [...new Map(reasons.map((reason) => [`${reason.rule ?? ''} ${reason.text}`, reason])).values()];
}

/** Returns the start of a command with its redirections. */
function textOf({ name, args, writes }: ShellCommand): string {
  const words = [name, ...args, ...writes.map((file) => `> ${file}`)].filter((word) => word !== '');
  return shortened(words.map((word) => (/\s/.test(word) && !word.startsWith('> ') ? JSON.stringify(word) : word)));
}

/** Returns the start of some words. Words are never cut: the rest of a secret would no longer be masked. */
function shortened(words: readonly string[]): string {
  let text = '';
  for (const word of words) {
    if (text.length + word.length > 80) return `${text} …`.trim();
    text = `${text} ${word}`.trim();
  }
  return text;
}
