import { resolve } from 'node:path';
import { Argument, type Command } from 'commander';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { PermissionStore } from '@varve/settings/trust';
import { commandName } from '../terminal/command-name.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import { revealedLine } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { TestOptions } from '../conversations/test-rule.ts';
import { defaultCommand } from './default-command.ts';

interface PlaceOptions {
  readonly workspace?: string;
  readonly user?: true;
}

const decisions = ['allow', 'ask', 'deny'];
const subjects = ['tool', 'command', 'path', 'host'];

/** Lists, adds, removes and tests the rules for calls. */
export const permissions: CliCommand = (parent, io) => {
  const projectOf = ({ workspace }: PlaceOptions): string => resolve(io.cwd, workspace ?? '.');
  const command = parent
    .command('permissions')
    .enablePositionalOptions()
    .description(
      'List, add, remove and test rules for the calls of the agent: deny wins over ask, and ask over allow.',
    );
  withPlace(defaultCommand(command, 'list'))
    .description('List the rules for a project and for all projects.')
    .action(async (options: PlaceOptions) => {
      const rules = await (await storeIn(io)).list(projectOf(options));
      for (const { scope, rule } of rules) io.stdout.line(`${scope.padEnd(7)}  ${revealedLine(textOf(rule))}`);
      if (rules.length === 0)
        io.stderr.line(
          styled('dim', `There are no rules: \`${commandName(io)} permissions add allow command npm test\`.`),
        );
    });
  withRule(withPlace(command.command('add')))
    .option('--user', 'for all projects')
    .description('Add a rule, for this project unless --user is set.')
    .action(async (decision: string, on: string, words: readonly string[], options: PlaceOptions) => {
      const rule = ruleOf(decision, on, words);
      await (await storeIn(io)).add([rule], options.user ? 'user' : 'project', projectOf(options));
      io.stderr.line(`Added: ${revealedLine(textOf(rule))}`);
    });
  withRule(withPlace(command.command('rm').alias('remove')))
    .description('Remove a rule.')
    .action(async (decision: string, on: string, words: readonly string[], options: PlaceOptions) => {
      const rule = ruleOf(decision, on, words);
      if (!(await (await storeIn(io)).remove(rule, projectOf(options))))
        throw new CliError(exitCodes.missing, `There is no rule "${textOf(rule)}".`);
    });
  withRule(withPlace(command.command('test')))
    .option('--user', 'in the conversations of all projects')
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--json', 'one JSON object per line, of each call that the rule matches')
    .description('Show what a rule would have asked about, stopped and let through in past conversations.')
    .action(async (decision: string, on: string, words: readonly string[], options: PlaceOptions & TestOptions) => {
      const { testRule } = await import('../conversations/test-rule.ts');
      const workspace = options.user ? undefined : projectOf(options);
      await testRule(ruleOf(decision, on, words), { ...options, workspace }, io);
    });
};

/** Loaded here, so that the help appears faster. */
async function storeIn(io: TerminalIo): Promise<PermissionStore> {
  const { permissionStore } = await import('@varve/settings/trust');
  return permissionStore(varveHome(io));
}

function textOf({ decision, on, pattern }: PermissionRule): string {
  return `${decision} ${on} ${pattern}`;
}

function withPlace(command: Command): Command {
  return command.option('-w, --workspace <dir>', 'the project (default: current directory)');
}

function withRule(command: Command): Command {
  return command
    .addArgument(new Argument('<decision>', 'what happens').choices(decisions))
    .addArgument(new Argument('<subject>', 'what the pattern is compared with').choices(subjects))
    .addArgument(new Argument('<pattern...>', 'a tool, the first words of a command, a path with wildcards, or a host'))
    .passThroughOptions();
}

/** Returns a rule, whose decision and subject are checked. Options after a command are words of its pattern. */
function ruleOf(decision: string, on: string, words: readonly string[]): PermissionRule {
  const [, second] = words;
  if (on !== 'command' && second !== undefined)
    throw new CliError(
      exitCodes.usage,
      `A rule for a ${on} has one pattern, and "${second}" follows it; options are in front of the rule.`,
    );
  return { decision, on, pattern: words.join(' ') } as PermissionRule;
}
