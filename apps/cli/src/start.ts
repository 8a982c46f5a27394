import { inspect } from 'node:util';
import type { Variables } from '@varve/text';
import { CliError } from './failures/cli-error.ts';
import { exitCodes } from './failures/exit-codes.ts';
import { runProgram } from './commands/program.ts';
import { fileProblem } from './failures/file-problem.ts';
import { startedByAgent } from './home/started-by-agent.ts';
import { onFailedOutput } from './terminal/on-failed-output.ts';
import { LibraryMessages, printLibraryMessages } from './terminal/library-messages.ts';
import { outputOf, styled, type Output } from './terminal/output.ts';
import type { Streams } from './terminal/terminal-io.ts';

/** Runs the command of this process, with the environment `env` and what was started before, and sets its status. */
export async function start(env: Variables, started: Pick<Streams, 'sandboxProblem'>): Promise<void> {
  const { stdin, stdout, stderr } = process;
  const output = outputOf(stderr, env);
  onFailedOutput(stdout, (error) => {
    output.line([styled('red', 'varve:'), ' ', fileProblem('Standard output', 'written', error)]);
    return true;
  });
  // There is nowhere to report it, and the work does not depend on it.
  onFailedOutput(stderr, () => false);
  const messages = new LibraryMessages(output);
  printLibraryMessages(messages);
  printProblems(output, messages);
  if (!(await usesNetwork(env, output))) return;
  process.exitCode = await runProgram(process.argv.slice(2), {
    env: startedByAgent() ? { ...env, VARVE_AGENT: '1' } : env,
    get cwd() {
      return currentDirectory();
    },
    stdin,
    stdout,
    stderr,
    messages,
    ...started,
  });
}

/** Variables that {@link useNetwork} reads, and without which it is not loaded. */
const networkNames = /^(?:(?:https?|all)_proxy|ssl_cert_file)$/i;

/** Uses the proxies and certificates of the variables; returns false after an error. */
async function usesNetwork(env: Variables, output: Output): Promise<boolean> {
  if (!Object.entries(env).some(([name, value]) => value && networkNames.test(name))) return true;
  try {
    const { useNetwork } = await import('@varve/llm/network');
    for (const notice of useNetwork(env)) output.line(styled('yellow', notice));
    return true;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    output.line([styled('red', 'varve:'), ` The network of the environment cannot be used: ${problem}`]);
    process.exitCode = exitCodes.usage;
    return false;
  }
}

/** Prints bugs and warnings of Node; by default they would reach the terminal as they are. */
function printProblems(output: Output, messages: LibraryMessages): void {
  process.on('uncaughtException', (error) => {
    output.text([styled('red', 'varve:'), ' A bug in varve. Please report it with the lines below.\n', inspect(error)]);
    process.exit(exitCodes.bug);
  });
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    // Node 22 prints one for its SQLite on every start.
    if (name !== 'ExperimentalWarning') messages.print(message);
  });
}

function currentDirectory(): string {
  try {
    return process.cwd();
  } catch {
    throw new CliError(exitCodes.usage, 'The current directory was removed.', 'Change to another directory.');
  }
}
