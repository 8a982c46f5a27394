import { InvalidArgumentError, Option } from 'commander';
import { otlpFrom } from '@varve/host/otlp';
import type { Server, ServerErrorCode } from '@varve/server';
import { commandName } from '../terminal/command-name.ts';
import { CliError } from '../failures/cli-error.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { onInterrupt } from '../terminal/signals.ts';
import { keyOriginOf, printServeSettings, serveSettings, type ServeFlags } from '../configure/serve-settings.ts';
import { announceServer, type RunningServer } from '../home/running-servers.ts';
import { storeUrl, openConfiguredStore } from '../home/open-configured-store.ts';
import { varveHome } from '../home/varve-home.ts';
import { logLine } from '../terminal/log-line.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { sandboxOption } from './agent-options.ts';
import { collected } from './option-values.ts';

interface ServeOptions extends ServeFlags {
  readonly store?: string;
  readonly sandbox?: string;
  readonly workspaceServer?: string;
  readonly key?: string;
  readonly ui?: boolean;
  readonly printConfig?: boolean;
}

const logLevels = ['silent', 'error', 'warn', 'info', 'debug'];

const header = 'X-Session-API-Key';

/** Serves the conversations of a store over HTTP until it is interrupted. */
export const serve: CliCommand = (parent, io) => {
  parent
    .command('serve')
    .description('Serve conversations with the agent-server protocol until Ctrl-C.')
    .option('--host <name>', 'address to listen on (default: 127.0.0.1)')
    .option('-p, --port <number>', 'port; 0 picks a free one (default: 8000)', portNumber)
    .option('--key <key>', `key that clients send as ${header} (VARVE_SESSION_API_KEY; default: a generated one)`)
    .option('--store <url>', 'the store, for instance sqlite:FILE')
    .option('--address <url>', 'makes it a replica, which others of the store reach at http://HOST:PORT')
    .option('--allow-host <name>', 'additional host name that the server accepts', collected)
    .option('--allow-origin <origin>', 'pages of this origin may call the server', collected)
    .option('--file-root <directory>', 'directory that the file and git routes may use (default: all)', collected)
    .option('--max-runs <number>', 'runs at a time; the others wait (default: 8)', Number)
    .option('--open-metrics', 'send metrics without a key')
    .option('--deferred', 'wait until POST /api/init configures the server')
    .option('--ui', 'also serve the web front end (@openhands/agent-canvas), and print the address to open')
    .addOption(new Option('--log-level <level>', 'level of the log on stderr (default: info)').choices(logLevels))
    .addOption(sandboxOption('walls around commands of agents, as of `varve run`'))
    .option('--workspace-server <url>', 'run commands and edit files of agents on this agent-server (default: here)')
    .option('--print-config', 'print the settings with their places, and exit')
    .action(async (options: ServeOptions) => serveUntilStopped(options, io));
};

function portNumber(value: string): number {
  const port = Number(value);
  if (/^\d{1,5}$/.test(value) && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
}

async function serveUntilStopped(options: ServeOptions, io: TerminalIo): Promise<void> {
  // Loaded here, so that other commands start faster.
  const { frontEndDirectory, frontEndPackage, optionsOfSettings, server, ServerError, sessionKeys, signInAddress } =
    await import('@varve/server');
  const { nativeModels } = await import('@varve/llm/kit');
  try {
    const settings = await serveSettings(options, io);
    if (options.printConfig) return await printServeSettings(settings, keyOriginOf(options.key, io), io);
    const shared = optionsOfSettings(settings);
    const { isGenerated, ...accepted } = sessionKeys({ key: options.key, env: io.env, ...shared });
    using ending = new DisposableStack();
    await using store = await openConfiguredStore(io, options.store);
    await using spans = await otlpFrom(io.env, (problem) => io.stderr.line(styled('yellow', problem)));
    const stream = { write: (line: string) => printLog(line.trimEnd(), io) };
    const frontEnd = options.ui ? await frontEndDirectory({ home: varveHome(io), env: io.env }) : undefined;
    const serving = server({
      store,
      ...accepted,
      ...shared,
      log: { level: settings.get('server.log_level') ?? 'info', stream },
      home: varveHome(io),
      env: environmentOf(options, io),
      workspaceRoot: io.cwd,
      native: nativeModels((name) => import(name)),
      ...(frontEnd && { frontEnd }),
      spans,
    });
    const signIn = frontEnd === undefined ? undefined : (url: string) => signInAddress(url, accepted.keys[0] ?? '');
    const port = settings.get('server.port') ?? 8000;
    const record = { key: accepted.keys[0] ?? '', store: await storeUrl(io, options.store) };
    await untilStopped(serving, { port, io, newKeys: isGenerated ? accepted.keys : [], signIn, record, ending });
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const hints: Partial<Record<ServerErrorCode, string>> = {
      'key-needed': 'Choose one with --key or VARVE_SESSION_API_KEY.',
      'front-end': `Install it where varve is: npm install --global ${frontEndPackage}`,
    };
    throw new CliError(exitCodes.usage, error.message, hints[error.code]);
  }
}

/** Prints a line of the log: for a person on a terminal, else as JSON. */
function printLog(line: string, { stderr }: TerminalIo): void {
  if (!stderr.isTTY) return stderr.jsonLine(line);
  const printable = logLine(line);
  if (printable !== undefined) stderr.line(printable);
}

/** The settings of an agent are those of its workspace: a flag reaches them as a variable. */
function environmentOf({ sandbox, workspaceServer }: ServeOptions, { env }: TerminalIo): TerminalIo['env'] {
  return {
    ...env,
    ...(sandbox !== undefined && { VARVE_SANDBOX_PROFILE: sandbox }),
    ...(workspaceServer !== undefined && { VARVE_WORKSPACE_SERVER: workspaceServer }),
  };
}

/** What a server prints when it is ready. */
interface Announced {
  readonly port: number;
  readonly io: TerminalIo;
  /** Generated keys; configured keys are not printed. */
  readonly newKeys: readonly string[];
  /** Returns the address of the front end, which contains the key: the person asked for it. */
  readonly signIn: ((url: string) => string) | undefined;
  /** What sessions of the user need to reach it, apart from its address. */
  readonly record: Pick<RunningServer, 'key' | 'store'>;
  /** Disposed when the server is closed. */
  readonly ending: DisposableStack;
}

/** Serves until Ctrl-C. */
async function untilStopped(serving: Server, { port, io, newKeys, signIn, record, ending }: Announced): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  onInterrupt({ pause: stop, stop }, ending);
  await using listening = await serving.listen(port);
  using _ = await announceServer({ ...record, url: listening.url }, io);
  // One write, so that a program that reads the address receives the key too.
  const keyLines = newKeys.map((key) => `\n${header}: ${key}`);
  const opened = signIn
    ? [`\nOpen ${signIn(listening.url)}`]
    : [styled('dim', `\nFor programs; \`${commandName(io)} serve --ui\` has a page.`)];
  io.stderr.text([styled('bold', 'varve'), ` serves ${listening.url}`, ...keyLines, ...opened]);
  await stopped;
  // A store that does not answer would be waited for longer than service managers wait.
  ending.adopt(setTimeout(() => process.exit(), 25_000).unref(), clearTimeout);
}
