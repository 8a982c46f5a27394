import { relative, sep } from 'node:path';
import { type ProposedCall } from '../commands/proposed-call.ts';
import { irrevocableCommand } from '../commands/irrevocable-commands.ts';
import { callFacts } from '../commands/call-facts.ts';
import { isShellWithScript } from '../commands/plain-commands.ts';
import type { PermissionRule } from './permission-rule.ts';
import { protectedFinding } from './protected-paths.ts';
import { ruleDecision } from './rule-decision.ts';

/** Programs whose second word is a command of their own. */
const withCommands = new Set(
  'git npm pnpm yarn bun cargo go uv pip pip3 poetry docker kubectl gh make just gradle mvn dotnet terraform npx'.split(
    ' ',
  ),
);

/** Commands whose next word is what they do or run: `npm run build`, `gh pr view`, `git remote add`. */
const withSubcommands = new Set(
  (
    'run run-script exec dlx x tool pip compose remote worktree stash submodule bisect bundle notes config flow lfs ' +
    'cache env self auth repo issue pr release workflow secret gist api label project ruleset variable codespace ' +
    'extension alias ssh-key gpg-key buildx image container volume network system context state workspace rollout'
  ).split(' '),
);

/** Commands that fetch or apply what their arguments name. */
const fetching = new Set(
  'add am apply ci clone create fetch get i init install plugin pull push set upgrade update up'.split(' '),
);

/** A call as it is stored, with the name of its tool. */
export type StoredCall = Omit<ProposedCall, 'tool' | 'risk'> & { readonly toolName: string };

/**
 * Returns the allow rules that "always allow" proposes for a call: its command up to the command of the program, or all
 * of it where the rest selects what is fetched; its files, or its tool. Empty if no rule can cover it: a script that is
 * more than plain words, a command that cannot be undone, and a call that may change the configuration of agents.
 */
export function suggestedRules(stored: StoredCall): readonly PermissionRule[] {
  const call = proposed(stored);
  const { plain = [], script, isFileTool, paths, workspace } = callFacts(call);
  if (protectedFinding(call, []) || plain.some((command) => irrevocableCommand(command))) return [];
  const commands = plain
    .filter(({ words }) => !isShellWithScript(words))
    .map(({ words }) => allow('command', commandOf(words)));
  const files = paths.map(({ path }) => allow('path', relativeTo(workspace, path)));
  const rules = script !== undefined ? commands : isFileTool ? files : [allow('tool', stored.toolName)];
  const distinct = [...new Map(rules.map((rule) => [rule.pattern, rule])).values()];
  // A word with a blank cannot be written as a rule, and a redirection needs a rule for its file.
  return ruleDecision(distinct, call)?.decision === 'allow' ? distinct : [];
}

function allow(on: PermissionRule['on'], pattern: string): PermissionRule {
  return { decision: 'allow', on, pattern };
}

/** Reports whether rules that were learned after a call was stored cover it: it need not be asked about any more. */
export function isCovered(rules: readonly PermissionRule[], stored: StoredCall): boolean {
  const call = proposed(stored);
  return protectedFinding(call, []) === undefined && ruleDecision(rules, call)?.decision === 'allow';
}

function commandOf(words: readonly string[]): string {
  const [program = '', verb = '', next = ''] = words;
  const isCommand = withCommands.has(program) && isName(verb) && !fetching.has(verb);
  if (!isCommand) return words.join(' ');
  if (!withSubcommands.has(verb)) return `${program} ${verb}`;
  return isName(next) && !fetching.has(next) ? `${program} ${verb} ${next}` : words.join(' ');
}

function isName(word: string): boolean {
  return /^[a-z][\w:-]*$/.test(word);
}

function relativeTo(workspace: string, path: string): string {
  const inside = relative(workspace, path);
  return inside === '' || inside.startsWith(`..${sep}`) || inside === '..' ? path : `./${inside}`;
}

/** Only the name and the annotations of the tool are read. */
function proposed({ toolName, ...stored }: StoredCall): ProposedCall {
  const annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  return { ...stored, risk: 'UNKNOWN', tool: { name: toolName, annotations } as ProposedCall['tool'] };
}
