import type { Command } from 'commander';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';

/** Commands that decide what agents may do. */
const refused: ReadonlySet<string> = new Set(
  [
    'trust, trust rm, permissions add, permissions rm, config set, config unset, config edit, rm, scrub, gc',
    'mcp add, mcp rm, mcp test, mcp login, mcp logout, skill install, skill rm, plugin install, plugin rm',
    'secret key, secret set, secret rm, profile save, profile use, profile rename, profile rm',
    'key, init, acp, mcp-server, serve',
  ].flatMap((line) => line.split(', ')),
);

/** Settings that decide what is asked about, and what programs may do; agents may not choose them. */
const guarded = /^(?:confirmation|sandbox)\./;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Refuses a command that only a person may run, in a shell that an agent started. A program that leaves this shell and
 * its ancestors is held by the sandbox, which hides the data directory.
 *
 * @throws {CliError} `usage`.
 */
export function refuseToAgents(command: Command, env: Environment): void {
  if (!env['VARVE_AGENT']) return;
  const name = nameOf(command);
  if (refused.has(name)) throw refusal(`varve ${name}`);
  const starts = ['run', 'session', 'resume'].includes(name);
  const lax = starts ? laxOption(command.opts<RightsOptions>(), env) : undefined;
  if (lax !== undefined) throw refusal(`varve ${name} with ${lax}`);
}

/** Returns the name of a command with those of the commands around it, without that of the program. */
export function nameOf(command: Command): string {
  const { parent } = command;
  return parent ? `${nameOf(parent)} ${command.name()}`.trimStart() : '';
}

/** Options of commands that change what an agent may do. */
interface RightsOptions {
  readonly confirm?: string;
  readonly sandbox?: string;
  readonly approve?: string | true;
  readonly set?: readonly string[];
}

/** Returns the option or variable with which a run would ask less or have fewer walls; undefined without one. */
function laxOption({ confirm, sandbox, approve, set = [] }: RightsOptions, env: Environment): string | undefined {
  if (confirm === 'never') return '--confirm never';
  if (sandbox === 'off') return '--sandbox off';
  if (approve !== undefined) return '--approve';
  const setting = set.find((each) => guarded.test(each));
  if (setting !== undefined) return `--set ${setting}`;
  if (env['VARVE_CONFIRMATION_POLICY'] === 'never') return 'VARVE_CONFIRMATION_POLICY=never';
  if (env['VARVE_SANDBOX_PROFILE'] === 'off') return 'VARVE_SANDBOX_PROFILE=off';
  return undefined;
}

/** A session starts `!varve …` of a person as a child, as it does the shell of its agent. */
function refusal(what: string): CliError {
  const reason = `Only a person may run ${what}: this shell was started by an agent.`;
  return new CliError(exitCodes.usage, `${reason} Run it in another terminal.`);
}
