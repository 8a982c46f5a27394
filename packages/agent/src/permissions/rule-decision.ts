import { posix } from 'node:path';
import { type NamedCall } from '../commands/proposed-call.ts';
import { strongest, type Match } from '../commands/command-match.ts';
import { irrevocableCommand } from '../commands/irrevocable-commands.ts';
import { callFacts, type CallFacts } from '../commands/call-facts.ts';
import { coversCommands, matchesCommand, wordsOf } from '../commands/command-match.ts';
import { hostsIn, isHost, onlyHosts } from './named-hosts.ts';
import { hasUnknownProgram } from '../commands/plain-commands.ts';
import { maxPathChars, namedPath } from '../commands/named-path.ts';
import { containsPath, coversPath, matchesPath } from './path-match.ts';
import { describeRule, type PermissionRule } from './permission-rule.ts';

/** Decision of the rules about a call. */
export interface RuleDecision {
  readonly decision: PermissionRule['decision'];
  /** The rules that decided, as people write them. */
  readonly rule: string;
}

/**
 * Returns the decision of the rules about a call; undefined if none matches. A deny rule denies what it certainly
 * matches, and asks about a script that mentions what it names and is more than plain words. Allow rules must cover the
 * whole call.
 */
export function ruleDecision(rules: readonly PermissionRule[], call: NamedCall): RuleDecision | undefined {
  if (rules.length === 0) return undefined;
  const facts = callFacts(call);
  // No system opens such a path; a rule compares it with each directory above it.
  if (facts.script === undefined && facts.paths.some(({ path }) => path.length > maxPathChars))
    return { decision: 'deny', rule: `paths of more than ${maxPathChars} characters` };
  const asking: string[] = [];
  const restricting = (['deny', 'ask'] as const).flatMap((each) => rules.filter(({ decision }) => decision === each));
  for (const rule of restricting) {
    const match = matchRule(rule, facts);
    if (match === 'yes' && rule.decision === 'deny') return { decision: 'deny', rule: describeRule(rule) };
    if (match !== 'no') asking.push(describeRule(rule));
  }
  if (asking[0] !== undefined) return { decision: 'ask', rule: asking[0] };
  const allowing = coveringRules(
    rules.filter(({ decision }) => decision === 'allow'),
    facts,
  );
  return allowing === undefined ? undefined : { decision: 'allow', rule: allowing };
}

function matchRule({ on, pattern }: PermissionRule, facts: CallFacts): Match {
  const { script, plain, texts } = facts;
  if (on === 'tool') return matchesName(pattern, facts.tool) ? 'yes' : 'no';
  if (on === 'command') {
    if (script === undefined) return 'no';
    if (plain) return strongest(plain.map((command) => matchesCommand(pattern, command)));
    return hasUnknownProgram(script) ? 'maybe' : unread(posix.basename(wordsOf(pattern)[0] ?? ''), facts);
  }
  if (on === 'path') {
    if (facts.paths.some(matchesPath(pattern, facts.workspace))) return 'yes';
    if (facts.paths.some(containsPath(pattern, facts.workspace))) return 'maybe';
    const isRead = plain?.every(({ isOpen }) => isOpen !== true) ?? script === undefined;
    return isRead ? 'no' : unread(literalOf(pattern), isHidden(pattern) ? facts : { ...facts, isSandboxed: false });
  }
  if (hostsIn(texts).some((host) => isHost(pattern, host))) return 'yes';
  const name = pattern.replace(/^\*\./, '').toLowerCase();
  if (texts.some((text) => text.toLowerCase().includes(name))) return 'maybe';
  return script !== undefined && !plain ? unread(name, facts) : 'no';
}

/** Reports whether a sandbox hides what a denied pattern names: a name anywhere, one path, or all below it. */
function isHidden(pattern: string): boolean {
  return !pattern.includes('/') || !/[*?[\]{}]/.test(pattern.replace(/\/\*\*$/, ''));
}

/** Compares a rule with a script whose words are not all known. In a sandbox its walls hold for files and hosts. */
function unread(name: string, { script = '', isSandboxed }: CallFacts): Match {
  return !isSandboxed || (name !== '' && script.toLowerCase().includes(name.toLowerCase())) ? 'maybe' : 'no';
}

/** Returns the longest part of a glob that is no wildcard. */
function literalOf(pattern: string): string {
  const parts = pattern.replace(/^~\//, '').split(/[*?[\]{}!,/]+/);
  return parts.toSorted((a, b) => b.length - a.length)[0] ?? '';
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Returns the allow rules that cover all of a call. A command that cannot be undone needs a rule for all its words. */
function coveringRules(rules: readonly PermissionRule[], facts: CallFacts): string | undefined {
  const { tool, plain, script, isFileTool, paths, workspace } = facts;
  const patternsOf = (on: PermissionRule['on']): readonly string[] =>
    rules.filter((rule) => rule.on === on).map(({ pattern }) => pattern);
  const irrevocable = (plain ?? []).filter((command) => irrevocableCommand(command) !== undefined);
  const byTool = rules.find(({ on, pattern }) => on === 'tool' && matchesName(pattern, tool));
  if (byTool && irrevocable.length === 0) return describeRule(byTool);
  const tests = patternsOf('path').map((pattern) => coversPath(pattern, workspace));
  if (script !== undefined) {
    const commands = patternsOf('command');
    const isWhole = irrevocable.every(({ words }) => commands.includes(words.join(' ')));
    const writes = (plain ?? []).flatMap((command) =>
      command.directories.flatMap((directory) => command.writes.map((file) => namedPath(file, directory))),
    );
    const areWritesCovered = writes.every((file) => tests.some((test) => test(file)));
    return plain && isWhole && areWritesCovered && coversCommands(commands, plain)
      ? namesOf(rules, 'command')
      : undefined;
  }
  if (isFileTool)
    return paths.length > 0 && paths.every((path) => tests.some((test) => test(path)))
      ? namesOf(rules, 'path')
      : undefined;
  const hosts = onlyHosts(facts.texts) ?? [];
  const areHostsCovered = hosts.every((host) => patternsOf('host').some((pattern) => isHost(pattern, host)));
  return hosts.length > 0 && areHostsCovered ? namesOf(rules, 'host') : undefined;
}

function namesOf(rules: readonly PermissionRule[], on: PermissionRule['on']): string {
  return rules
    .filter((rule) => rule.on === on)
    .map(describeRule)
    .slice(0, 3)
    .join(', ');
}
