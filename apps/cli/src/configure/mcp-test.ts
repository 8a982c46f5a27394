import { openAgentSandbox } from '@varve/settings/agent';
import { startMcpServers } from '@varve/tools/mcp';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { loginsOf } from '../home/secrets.ts';
import { settingsFor } from '../home/settings.ts';
import { userHome, varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { configuredServer, printProblem } from './configured-server.ts';

/** Starts a server in the sandbox of a run, prints its tools and ends it. @throws {CliError} `missing`. */
export async function testServer(name: string, io: TerminalIo): Promise<ExitCode> {
  const { server, masked, isOutside } = await configuredServer(name, io);
  const workspace = io.cwd;
  const settings = await settingsFor(io, { workspace });
  const places = { workspace, home: varveHome(io), userHome: userHome(io) };
  using walls = await openAgentSandbox({ settings, env: io.env, ...places });
  for (const warning of walls.warnings) printProblem(warning, io);
  await using started = await startMcpServers(
    { [name]: server },
    { env: io.env, secrets: masked, logins: loginsOf(io), sandboxOf: () => (isOutside ? undefined : walls.servers) },
  );
  for (const { params } of started.tools) for (const tool of params.tools) io.stdout.line(tool);
  for (const problem of started.problems) printProblem(problem, io);
  if (started.tools.length === 0) return exitCodes.usage;
  io.stderr.line(styled('dim', `${name} works.`));
  return exitCodes.ok;
}
