import type { Settings } from '@varve/settings';
import { CliError } from '../failures/cli-error.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { settingsFor } from '../home/settings.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { setSetting } from './config-actions.ts';
import { unknownServer } from './configured-server.ts';

type Servers = NonNullable<ReturnType<typeof mcpServersIn>>;

function mcpServersIn(settings: Settings) {
  return settings.get('mcp_servers');
}

/** Prints the servers of the settings: name, and program or address. */
export async function listServers(io: TerminalIo): Promise<void> {
  const servers = Object.entries(await serversFor(io));
  if (servers.length === 0)
    io.stderr.line(withCommandName('There are no servers. `varve mcp add NAME COMMAND…` adds one.', io));
  for (const [name, { url, command = '', args = [], enabled }] of servers) {
    const what = url ?? [command, ...args].join(' ');
    io.stdout.line([styled('cyan', name), `  ${what}`, styled('dim', enabled === false ? '  disabled' : '')]);
  }
}

/** Options of `mcp add`. */
export interface McpAddOptions {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly clientId?: string;
  readonly project?: true;
}

/** Adds a server. @throws {CliError} `usage` for a name that is taken or invalid, and for options of the other kind. */
export async function addServer(
  name: string,
  [first, ...args]: readonly string[],
  { env, header, clientId, project }: McpAddOptions,
  io: TerminalIo,
): Promise<void> {
  if (!/^[\w.-]+$/.test(name))
    throw new CliError(
      exitCodes.usage,
      `The name ${JSON.stringify(name)} is not of letters, digits, ".", "_" and "-".`,
    );
  if (first === undefined || first.startsWith('-'))
    throw new CliError(
      exitCodes.usage,
      `The server ${name} has no command and no address before ${first ?? 'the end'}.`,
    );
  const isAddress = /^https?:\/\//.test(first);
  if (isAddress && (args.length > 0 || env)) {
    throw new CliError(exitCodes.usage, 'An address has neither arguments nor variables.');
  }
  if (!isAddress && (header || clientId !== undefined))
    throw new CliError(exitCodes.usage, 'Only an address has headers and logins.');
  const auth = clientId === undefined ? {} : { auth: { strategy: 'oauth2', client_id: clientId } };
  const server = isAddress
    ? { url: first, ...(header && { headers: pairsOf(header) }), ...auth }
    : { command: first, ...(args.length > 0 && { args }), ...(env && { env: pairsOf(env) }) };
  const before = await serversIn({ ...(project && { project }) }, io);
  if (Object.hasOwn(before, name)) {
    const removal = `\`varve mcp rm ${project ? '--project ' : ''}${name}\` removes it.`;
    throw new CliError(exitCodes.usage, `There is a server ${name} already.`, removal);
  }
  await setSetting('mcp_servers', JSON.stringify({ ...before, [name]: server }), { io, ...(project && { project }) });
}

/** Removes a server. @throws {CliError} `missing`. */
export async function removeServer(
  name: string,
  { project }: Pick<McpAddOptions, 'project'>,
  io: TerminalIo,
): Promise<void> {
  const { [name]: removed, ...servers } = await serversIn({ ...(project && { project }) }, io);
  if (!removed) throw unknownServer(name);
  const text = Object.keys(servers).length === 0 ? undefined : JSON.stringify(servers);
  await setSetting('mcp_servers', text, { io, ...(project && { project }) });
}

/** Returns the servers that apply in the current directory. */
async function serversFor(io: TerminalIo): Promise<Servers> {
  return (await settingsFor(io, { workspace: io.cwd })).get('mcp_servers') ?? {};
}

/** Returns the servers of one file: what is added to it must not contain those of another one. */
async function serversIn({ project }: Pick<McpAddOptions, 'project'>, io: TerminalIo): Promise<Servers> {
  const entry = (await settingsFor(io, { workspace: io.cwd })).entry('mcp_servers');
  const layer = project ? 'project' : 'user';
  const value = (entry ? [entry, ...entry.hidden] : []).find(
    ({ origin }) => origin.kind === 'file' && origin.layer === layer,
  );
  return serversOf(value?.value);
}

/** Converts a value of the setting, which was validated when it was read. */
function serversOf(value: unknown): Servers {
  return (value ?? {}) as Servers;
}

function pairsOf(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at < 1) throw new CliError(exitCodes.usage, `${pair} is not NAME=VALUE.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}
