import { ToolError } from '@varve/tools';
import { logInToMcp, type McpAddress, type McpLogin } from '@varve/tools/mcp';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { loginsOf } from '../home/secrets.ts';
import { openBrowser } from '../terminal/open-browser.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { configuredServer } from './configured-server.ts';
import { redirectListener, type RedirectListener } from './redirect-listener.ts';

/** Longest wait for a person to agree. */
const agreeMs = 10 * 60_000;

/** Logs in at a server and stores its tokens. @throws {CliError} `missing`; `usage` if the login fails. */
export async function logInToServer(name: string, io: TerminalIo): Promise<void> {
  const server = await addressOf(name, io);
  await using listener = await redirectListener(server.redirectPort);
  const logins = loginsOf(io);
  const before = await logins.read(server.url);
  const login = await newLogin(name, server, { listener, before }, io);
  await logins.change(server.url, async () => login);
  io.stderr.line(styled('dim', `Logged in at ${name}.`));
}

/** Removes the stored login at a server. @throws {CliError} `missing`. */
export async function logOutOfServer(name: string, io: TerminalIo): Promise<void> {
  const { url } = await addressOf(name, io);
  const logins = loginsOf(io);
  if (!(await logins.read(url)))
    throw new CliError(exitCodes.missing, `There is no login at ${name}.`, '`varve mcp login NAME` creates one.');
  await logins.change(url, async () => undefined);
  io.stderr.line(styled('dim', `Logged out of ${name}.`));
}

async function addressOf(name: string, io: TerminalIo): Promise<McpAddress> {
  const { server } = await configuredServer(name, io);
  if (server.transport === 'stdio') throw new CliError(exitCodes.usage, `The server ${name} has no address.`);
  return server;
}

async function newLogin(
  name: string,
  server: McpAddress,
  { listener, before }: { readonly listener: RedirectListener; readonly before: McpLogin | undefined },
  io: TerminalIo,
): Promise<McpLogin> {
  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, AbortSignal.timeout(agreeMs)]);
  try {
    return await logInToMcp(name, server, {
      redirectUrl: listener.url,
      signal,
      before,
      async authorize(url, state) {
        io.stderr.line(`Log in at ${name} in a browser: ${url.href}`);
        if (io.stdin.isTTY) openBrowser(url, io.env);
        using answered = abortOnDispose();
        const typed = pastedAddress(io, AbortSignal.any([signal, answered.signal]), () => cancelled.abort());
        return await Promise.race([listener.redirected(state), typed, rejected(signal)]);
      },
    });
  } catch (error) {
    if (signal.aborted) throw new CliError(exitCodes.usage, `The login at ${name} was not finished.`);
    if (error instanceof ToolError) throw new CliError(exitCodes.usage, error.message);
    throw error;
  }
}

/**
 * Returns the address that a person pastes whose browser does not reach this machine. Never resolves without one: other
 * input ends, and the browser may still answer. `cancel` is called for Ctrl-C.
 */
async function pastedAddress(io: TerminalIo, signal: AbortSignal, cancel: () => void): Promise<URL> {
  const question = 'If the browser cannot reach this machine, paste the address that it shows: ';
  for (;;) {
    const typed = await io.ask(question, signal);
    const url = URL.parse(typed?.trim() ?? '');
    if (url) return url;
    if (typed !== undefined) continue;
    // Ends the line of the question.
    io.stderr.line('');
    if (io.stdin.isTTY && !signal.aborted) cancel();
    return new Promise(() => undefined);
  }
}

function abortOnDispose(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  return { signal: controller.signal, [Symbol.dispose]: () => controller.abort() };
}

async function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
