import type { RiskVerdict } from '@varve/events/facts';
import { TerminalAction } from '@varve/events/payloads';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { placedCommands, type PlacedCommand } from '../commands/call-facts.ts';
import { isBelow } from '../commands/named-path.ts';
import type { PlainCommand } from '../commands/plain-commands.ts';
import { isHarmless, onlyReads } from '../commands/harmless-commands.ts';
import { verdictOf } from './highest-risk.ts';
import { irrevocableCommand } from '../commands/irrevocable-commands.ts';
import type { RiskAnalyzer } from './risk-analyzer.ts';

/** Rule of an application for commands. */
export interface CommandRiskRule {
  readonly id: string;
  readonly risk: 'MEDIUM' | 'HIGH';
  /** Pure. */
  matches(command: PlainCommand): boolean;
}

/** Options of {@link shellRisk}. */
export interface ShellRiskOptions {
  /** Rules in addition to the built-in ones. */
  readonly rules?: readonly CommandRiskRule[];
}

/** Most reasons that are stored with a call. */
const maxReasons = 20;

/**
 * Rates the commands of the terminal. What reaches beyond the machine or cannot be undone is HIGH. In a sandbox
 * everything else is LOW, because the walls hold. Without one, commands that are known to be harmless are LOW, and all
 * others UNKNOWN, as are scripts of more than plain words. Other tools are not rated.
 *
 * Only a sandbox contains a program: a script file or `npm test` may do anything.
 */
export function shellRisk({ rules = [] }: ShellRiskOptions = {}): RiskAnalyzer {
  return {
    spec: { rules: rules.map(({ id }) => id), kind: 'ShellRiskAnalyzer' },
    assess: (call) => {
      const isLow: IsLow = call.tool.sandbox === undefined ? isHarmless : () => true;
      return assessScript(call, rules, isLow);
    },
  };
}

/** Rates commands of the terminal that only read as LOW, and all others as UNKNOWN or HIGH, also in a sandbox. */
export function readingRisk(): RiskAnalyzer {
  return {
    spec: { kind: 'ReadingRiskAnalyzer' },
    assess(call) {
      const { sandbox: _, ...tool } = call.tool;
      return assessScript({ ...call, tool }, [], onlyReads);
    },
  };
}

/** Reports whether a command is of low risk. */
type IsLow = (command: PlainCommand, isInWorkspace: boolean) => boolean;

function assessScript(call: ProposedCall, rules: readonly CommandRiskRule[], isLow: IsLow): RiskVerdict | undefined {
  if (!TerminalAction.is(call.action)) return undefined;
  const { command, is_input: isInput } = call.action;
  const isSandboxed = call.tool.sandbox !== undefined;
  if (isInput) return verdictOf(command === '' || isSandboxed ? [] : [unknown('Input for a running program')]);
  const plain = placedCommands(command, call);
  const reasons = (plain ?? []).flatMap((placed) => reasonsOf(placed, call, { rules, isLow }));
  if (!plain && !isSandboxed) reasons.push(unknown('It is more than plain commands, and there is no sandbox'));
  const verdict = verdictOf(reasons);
  return { ...verdict, reasons: verdict.reasons.slice(0, maxReasons) };
}

type Reason = RiskVerdict['reasons'][number];

function reasonsOf(
  command: PlacedCommand,
  { workspace = '/' }: ProposedCall,
  { rules, isLow }: { readonly rules: readonly CommandRiskRule[]; readonly isLow: IsLow },
): readonly Reason[] {
  const text = textOf(command);
  const matching = rules.filter((rule) => rule.matches(command)).map(({ id, risk }) => ({ risk, text, rule: id }));
  const irrevocable = irrevocableCommand(command);
  if (irrevocable !== undefined)
    return [...matching, { risk: 'HIGH', text: `${irrevocable}: ${text}`, rule: 'irrevocable' }];
  const isInWorkspace = command.directories.every((place) => isBelow(place, workspace) || isBelow(place, '/tmp'));
  // Models name files of the workspace by their absolute paths, too.
  const local = (word: string): string =>
    word === workspace ? '.' : word.startsWith(`${workspace}/`) ? word.slice(workspace.length + 1) : word;
  const named = { ...command, words: command.words.map(local), writes: command.writes.map(local) };
  if (isLow(named, isInWorkspace)) return matching;
  return [...matching, unknown(`It is not known to be harmless: ${text}`)];
}

function unknown(text: string): Reason {
  return { risk: 'UNKNOWN', text, rule: 'unknown' };
}

/** Returns the start of a command. Words are never cut: the rest of a secret would no longer be masked. */
function textOf({ words, writes }: PlainCommand): string {
  let text = '';
  for (const word of [...words, ...writes.map((file) => `> ${file}`)]) {
    if (text.length + word.length > 80) return `${text} …`.trim();
    text = `${text} ${/\s/.test(word) && !word.startsWith('> ') ? JSON.stringify(word) : word}`.trim();
  }
  return text;
}
