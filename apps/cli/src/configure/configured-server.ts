import {
  configuredServers,
  loadExtensions,
  personSecrets,
  secretsOfServer,
  serversOfFile,
  type Extensions,
  type FileServer,
} from '@varve/settings/agent';
import type { McpServer } from '@varve/tools/mcp';
import { CliError } from '../failures/cli-error.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { secretsOf } from '../home/secrets.ts';
import { settingsFor } from '../home/settings.ts';
import { userHome, varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

const listHint = '`varve mcp list` lists them.';

/** A server as a run in the current directory starts it. */
export interface ConfiguredServer {
  readonly server: McpServer;
  /** Values that must not be part of messages. */
  readonly masked: readonly string[];
  /** True for a process that runs without a sandbox. */
  readonly isOutside: boolean;
}

/**
 * Returns a server of the settings, of a trusted file, or of a trusted sub-agent, in this order.
 *
 * @throws {CliError} `missing`.
 */
export async function configuredServer(name: string, io: TerminalIo): Promise<ConfiguredServer> {
  const workspace = io.cwd;
  const settings = await settingsFor(io, { workspace });
  const places = { workspace, home: varveHome(io), userHome: userHome(io) };
  const extensions = await loadExtensions({ ...places, disabledSkills: settings.get('skills.disabled') ?? [] });
  const { variables: secrets, referable, masked, problems } = await personSecrets(secretsOf(io));
  const own = configuredServers(extensions.servers, { settings, workspace, secrets, referable });
  const ofSubAgents = configuredServers(subAgentServers(extensions, workspace), { workspace, secrets });
  for (const { servers, outside } of [own, ofSubAgents]) {
    const server = servers[name];
    if (server) return { server, masked: [...masked, ...secretsOfServer(server)], isOutside: outside.has(name) };
  }
  for (const problem of [...problems, ...own.problems, ...ofSubAgents.problems]) printProblem(problem, io);
  throw new CliError(exitCodes.missing, `There is no server ${name} that can be started.`, listHint);
}

function subAgentServers({ subAgents }: Extensions, directory: string): readonly FileServer[] {
  return subAgents.flatMap(({ mcpServers }) =>
    Object.entries(serversOfFile({ mcpServers }).servers).map(([name, config]) => ({ name, config, directory })),
  );
}

/** Prints a problem of a server. */
export function printProblem(problem: string, io: TerminalIo): void {
  io.stderr.line(styled('yellow', withCommandName(problem, io)));
}

/** Returns the error for a name without a server. */
export function unknownServer(name: string): CliError {
  return new CliError(exitCodes.missing, `There is no server ${name} in the settings.`, listHint);
}
