import type { ProposedCall } from '../risk/risk-analyzer.ts';
import { locationsOf } from '../shell/words/paths.ts';
import { shellRisk } from '../risk/shell-risk.ts';
import { callFacts, type CallFacts } from './call-facts.ts';
import { coversCommands, matchesScript } from './command-match.ts';
import { coversPath, pathRule } from './path-match.ts';
import { generatesHosts, onlyHosts, spellsAddress } from './named-hosts.ts';
import type { ShellFacts } from './shell-facts.ts';
import { describeRule, type Match, type PermissionRule } from './permission-rule.ts';
import { opensNothing } from './paths-in-command.ts';

/** Decision of the rules about a call. */
export interface RuleDecision {
  readonly decision: PermissionRule['decision'];
  /** The rules that decided, as people write them. */
  readonly rule: string;
}

/**
 * Returns the decision of the rules about a call; undefined if none matches. A deny rule denies what it certainly
 * matches, and asks about what it may match: a command that is not completely known before it runs, or a directory
 * around the file, unless the rule is for a name anywhere. Allow rules must cover the whole call.
 */
export function ruleDecision(rules: readonly PermissionRule[], call: ProposedCall): RuleDecision | undefined {
  if (rules.length === 0) return undefined;
  const facts = callFacts(call);
  const asking: string[] = [];
  for (const rule of rules) {
    if (rule.decision === 'allow') continue;
    const match = matchRule(rule, facts);
    if (match === 'yes' && rule.decision === 'deny') return { decision: 'deny', rule: describeRule(rule) };
    if (match !== 'no') asking.push(describeRule(rule));
  }
  if (asking[0] !== undefined) return { decision: 'ask', rule: asking[0] };
  const allowing = coveringRules(
    rules.filter(({ decision }) => decision === 'allow'),
    call,
    facts,
  );
  return allowing === undefined ? undefined : { decision: 'allow', rule: allowing };
}

function matchRule({ on, pattern }: PermissionRule, facts: CallFacts): Match {
  const { shell, paths, reader } = facts;
  if (on === 'tool') return matchesName(pattern, facts.tool) ? 'yes' : 'no';
  if (on === 'command') return shell ? matchesScript(pattern, shell) : 'no';
  if (on === 'host') return matchesHost(pattern, facts);
  const matchOf = pathRule(pattern, reader);
  const matches = new Set(paths.map(matchOf));
  if (matches.has('yes')) return 'yes';
  if (facts.links.some((one) => matchOf(one) !== 'no')) return 'maybe';
  return matches.has('maybe') || reader.isExhausted || (shell && !facts.hasAllPaths) ? 'maybe' : 'no';
}

function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** A name without a protocol in front of it may be a host; so may what a command computes. */
function matchesHost(pattern: string, { hosts, texts, shell }: CallFacts): Match {
  if (hosts.some((host) => isHost(pattern, host))) return 'yes';
  const name = pattern.replace(/^\*\./, '').toLowerCase();
  if (texts.some((text) => text.toLowerCase().includes(name))) return 'maybe';
  if (shell && (generatesHosts(shell.commands) || spellsAddress(pattern, texts))) return 'maybe';
  const isUnseen = shell?.commands.some((one) => one.unseenArgs.length > 0 && !opensNothing(one));
  return shell && (!shell.isComplete || isUnseen) ? 'maybe' : 'no';
}

function isHost(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase();
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) || host === name.slice(2) : host === name;
}

const shellRating = shellRisk();

/**
 * Returns the allow rules that cover all of a call. What the analyzer rates HIGH is covered by a rule for the whole
 * command only.
 */
function coveringRules(rules: readonly PermissionRule[], call: ProposedCall, facts: CallFacts): string | undefined {
  if (rules.length === 0) return undefined;
  const isHigh = shellRating.assess(call)?.risk === 'HIGH';
  const byTool = rules.find(({ on, pattern }) => on === 'tool' && matchesName(pattern, facts.tool));
  if (byTool && !isHigh) return describeRule(byTool);
  const patternsOf = (on: PermissionRule['on']): readonly string[] =>
    rules.filter((rule) => rule.on === on).map(({ pattern }) => pattern);
  const { shell, paths, texts, reader } = facts;
  const isCovered = (path: string): boolean =>
    patternsOf('path').some((pattern) => coversPath(pattern, reader.named(path), reader));
  if (shell) {
    const isAllowed = coversCommands(patternsOf('command'), shell, isHigh) && writtenFiles(shell).every(isCovered);
    return isAllowed ? namesOf(rules, 'command') : undefined;
  }
  if (facts.isFileTool) {
    const isAllowed =
      paths.length > 0 && paths.every((one) => patternsOf('path').some((pattern) => coversPath(pattern, one, reader)));
    return isAllowed ? namesOf(rules, 'path') : undefined;
  }
  const hosts = onlyHosts(texts) ?? [];
  const isAllowed =
    hosts.length > 0 && hosts.every((host) => patternsOf('host').some((pattern) => isHost(pattern, host)));
  return isAllowed ? namesOf(rules, 'host') : undefined;
}

/** Returns the files to which plain commands are redirected, for each directory in which one of them may run. */
function writtenFiles({ plain = [], commands }: ShellFacts): readonly string[] {
  const directories = new Set(commands.flatMap(({ paths }) => [...paths.directories]));
  return plain.flatMap(({ writes }) => writes.flatMap((file) => locationsOf(file, { directories })));
}

function namesOf(rules: readonly PermissionRule[], on: PermissionRule['on']): string {
  return rules
    .filter((rule) => rule.on === on)
    .map(describeRule)
    .slice(0, 3)
    .join(', ');
}
