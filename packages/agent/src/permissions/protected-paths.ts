import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { RiskVerdict } from '@varve/events/facts';
import { FileEditorAction, FinishAction, TaskTrackerAction, ThinkAction } from '@varve/events/payloads';
import { executedNames, gitPaths, isPrivate } from '@varve/sandbox';
import { changedGitSettings } from '@varve/tools/workspace';
import { type NamedCall } from '../commands/proposed-call.ts';
import { isHarmless } from '../commands/harmless-commands.ts';
import { callFacts, pathsOf, type CallFacts } from '../commands/call-facts.ts';
import { isBelow, namedPath, type NamedPath } from '../commands/named-path.ts';

/** Names of configuration that agents, editors and hooks run. */
const names = new Set(executedNames);
/**
 * Files that agents or git run, below `.git`: the directory itself, its settings and hooks, also of submodules, the
 * file that names another directory for them, and the commands that an interrupted rebase continues with.
 */
const inGit = /^(?:hooks|config(?:\.worktree)?|info|modules|worktrees|commondir|rebase-merge|rebase-apply|sequencer)?$/;
/** Attributes select the programs that filter, merge and compare files. */
const files = new Set(['.gitattributes', '.gitconfig', 'git-rebase-todo']);

/** Largest settings of git that are read. */
const maxSettingsBytes = 2 ** 20;

/** A protected name within other text, such as a script or code in an argument. */
const mentioned =
  /(?:^|[^\w.-])(?:\.(?:varve|openhands|agents)(?![\w-])|\.mcp\.json\b|\.gitattributes\b|git-rebase-todo\b|\.git[\\/]+(?:hooks|config|info|modules|worktrees|commondir|rebase-(?:merge|apply)|sequencer)\b)|\bVARVE_HOME\b|\bcore\.?hookspath\b/i;

type Finding = RiskVerdict['reasons'][number];

/**
 * Returns why a call may change the configuration that agents or git run, or read credentials or the files of `extra`,
 * which are absolute: a person is asked about it whatever the policy is. Holds for file tools and for commands of plain
 * words, and for other texts that mention such a name. In a sandbox the walls hold for commands instead.
 */
export function protectedFinding(call: NamedCall, extra: readonly string[]): Finding | undefined {
  const { tool, action } = call;
  if ([FinishAction, TaskTrackerAction, ThinkAction].some((payload) => payload.is(action))) return undefined;
  const facts = callFacts(call);
  if (facts.script !== undefined && tool.sandbox !== undefined) return undefined;
  const secret = facts.paths.find((path) => isSecret(path, extra, facts.workspace));
  if (secret) return { risk: 'HIGH', rule: 'read.credentials', text: `It names credentials: ${nameOf(secret, facts)}` };
  if (tool.annotations.readOnlyHint || ('command' in action && action['command'] === 'view')) return undefined;
  if (addsGitSettings(call)) return undefined;
  const changed = changedPath(facts, extra);
  return changed === undefined
    ? undefined
    : { risk: 'HIGH', rule: 'config.write', text: `It may change what agents or git run: ${changed}` };
}

/**
 * Reports whether an edit adds sections to the settings of the repository by which git executes nothing, such as a new
 * remote. Only whole sections between others mean the same whatever other edits do in the meantime.
 */
export function addsGitSettings({ action, workspace = '/' }: Pick<NamedCall, 'action' | 'workspace'>): boolean {
  if (!FileEditorAction.is(action) || action.command !== 'str_replace') return false;
  if (!action.path.endsWith('config')) return false;
  const path = namedPath(action.path, workspace);
  const { old_str: old = '', new_str: text = '' } = action;
  const isOwn = gitPaths(workspace).writable.some((place) => join(place, 'config') === path.real);
  if (!isOwn || !old.endsWith('\n') || !text.startsWith(`${old}[`)) return false;
  const stats = lstatSync(path.real, { throwIfNoEntry: false });
  if (!stats?.isFile() || stats.size > maxSettingsBytes) return false;
  // Settings that follow would belong to the last section, if another edit has changed the file.
  if (/^\[(?!(?:user|pull|push|init|branch|remote)\b)/m.test(text.slice(old.length))) return false;
  const before = readFileSync(path.real, 'utf8');
  const [start = '', rest, ...more] = before.split(old);
  const isBetween = rest !== undefined && more.length === 0 && /^(?:\[|$)/.test(rest) && text.endsWith('\n');
  return isBetween && changedGitSettings(before, start + text + rest).length === 0;
}

function changedPath(facts: CallFacts, extra: readonly string[]): string | undefined {
  const { plain, paths, texts, isFileTool } = facts;
  if (plain) {
    const changing = plain.filter((command) => !isHarmless(command, false));
    const named = changing.flatMap(pathsOf).find(isProtectedIn(facts));
    if (named) return nameOf(named, facts);
    return changing
      .flatMap(({ words }) => words)
      .map((word) => mentionIn(word, extra))
      .find((name) => name !== undefined);
  }
  const path = paths.find(isProtectedIn(facts));
  if (path) return nameOf(path, facts);
  return isFileTool ? undefined : texts.map((text) => mentionIn(text, extra)).find((name) => name !== undefined);
}

/** Returns a protected name within text that is not read. */
function mentionIn(text: string, extra: readonly string[]): string | undefined {
  return mentioned.exec(text)?.[0].trim() ?? extra.find((path) => path.length > 1 && text.includes(path));
}

function isSecret({ path, real }: NamedPath, extra: readonly string[], workspace: string): boolean {
  return [path, real].some(
    (name) =>
      extra.some((secret) => isBelow(name, secret)) || (!isBelow(name, workspace) && isPrivate(name, homedir())),
  );
}

/** Returns a test of whether a path has such a name, or is one that the settings of git name. */
function isProtectedIn({ workspace }: CallFacts): (path: NamedPath) => boolean {
  let executed: readonly string[] | undefined;
  return ({ path, real }) =>
    [path, real].some(
      (name) =>
        hasProtectedName(name) || (executed ??= gitPaths(workspace).executed).some((place) => isBelow(name, place)),
    );
}

function hasProtectedName(path: string): boolean {
  const parts = path.split(/[\\/]/).map(plainName);
  return parts.some((part, at) => {
    const next = parts[at + 1] ?? '';
    if (names.has(part) || (at === parts.length - 1 && files.has(part))) return true;
    // The settings of a person: `~/.config/git/config`.
    if (part === '.config' && next === 'git' && at + 2 < parts.length) return true;
    return part === '.git' && inGit.test(next);
  });
}

/** Returns a name as file systems compare it that ignore case, invisible characters and certain endings. */
function plainName(part: string): string {
  const plain = part
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\p{Mn}]/gu, '')
    .toLowerCase();
  // Windows ignores dots and blanks at the end, and what follows a colon, and has short names.
  const colon = plain.indexOf(':', 1);
  const name = (colon < 0 ? plain : plain.slice(0, colon)).replace(/(?<=[^. ])[. ]+$/, '');
  return name === 'git~1' ? '.git' : name;
}

function nameOf({ path }: NamedPath, { workspace }: CallFacts): string {
  const inside = relative(workspace, path);
  return inside === '' || inside.startsWith('..') ? path : inside;
}
