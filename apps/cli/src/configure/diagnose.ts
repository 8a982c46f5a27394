import { listModels } from '@varve/llm';
import { sandboxProblem } from '@varve/sandbox';
import { modelAddress } from '@varve/settings/agent';
import { isLoopback } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import { describeFailure } from '../home/describe-failure.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { modelFailure, modelOptions } from '../home/configured-model.ts';
import { openExistingStore, storeUrl } from '../home/open-configured-store.ts';
import { settingsFor } from '../home/settings.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Result of one check: what was found, or the problem and the next thing to do. */
type Finding = { readonly found: string } | { readonly problem: string; readonly hint?: string | undefined };

/** Longest wait for a server, in milliseconds. */
const timeoutMs = 10_000;

/** Checks what varve needs, one line each, and resolves to `usage` if there is a problem. */
export async function diagnose({ store }: { readonly store?: string }, io: TerminalIo): Promise<ExitCode> {
  const checks: Readonly<Record<string, () => Promise<Finding> | Finding>> = {
    node: () => ({ found: process.version }),
    store: async () => storeFinding(io, store),
    settings: async () => settingsFinding(io),
    sandbox: sandboxFinding,
    model: async () => modelFinding(io),
    terminal: () => terminalFinding(io),
  };
  let isWell = true;
  for (const [name, check] of Object.entries(checks)) {
    const finding = await Promise.try(check).catch(problemOf);
    const isFound = 'found' in finding;
    isWell &&= isFound;
    const mark = isFound ? styled('green', '✔') : styled('red', '✗');
    const what = withCommandName(isFound ? finding.found : finding.problem, io);
    const hint = isFound || finding.hint === undefined ? undefined : withCommandName(finding.hint, io);
    io.stdout.line([mark, ` ${name.padEnd(10)}`, what]);
    if (hint !== undefined) io.stdout.line([' '.repeat(13), styled('dim', hint)]);
  }
  return isWell ? exitCodes.ok : exitCodes.usage;
}

async function storeFinding(io: TerminalIo, option: string | undefined): Promise<Finding> {
  const url = await storeUrl(io, option);
  await using store = await openExistingStore(io, option);
  const { items } = await store.list({ limit: 1 });
  return { found: `${url}${items.length === 0 ? ', empty' : ''}` };
}

async function settingsFinding(io: TerminalIo): Promise<Finding> {
  const [warning] = (await settingsFor(io, { workspace: io.cwd })).warnings;
  if (warning === undefined) return { found: 'no problem' };
  return { problem: warning, hint: '`varve config` lists the settings with their places.' };
}

async function sandboxFinding(): Promise<Finding> {
  const problem = await sandboxProblem();
  return problem === undefined ? { found: 'commands can run inside of walls' } : { problem };
}

async function modelFinding(io: TerminalIo): Promise<Finding> {
  const settings = await settingsFor(io, { workspace: io.cwd });
  const { baseUrl, model, apiKey } = await modelAddress(modelOptions(io, { settings })).catch((error: unknown) => {
    throw modelFailure(error, settings);
  });
  if (apiKey === undefined && !isLoopback(baseUrl)) {
    return { problem: `There is no key for ${baseUrl}.`, hint: '`varve init` asks for a model and its key.' };
  }
  const models = await listModels({ baseUrl, timeoutMs, ...(apiKey !== undefined && { apiKey }) });
  if (!models) return { problem: `${baseUrl} lists no models: it does not answer, or refuses the key.` };
  if (models.length === 0 || models.includes(model)) return { found: `${model} at ${baseUrl}` };
  return { problem: `${baseUrl} has no model ${model}.`, hint: '`varve init` offers those that it has.' };
}

function terminalFinding({ stdin, stdout, env }: TerminalIo): Finding {
  if (!stdin.isTTY || !stdout.isTTY) return { found: 'none: the session needs one, `varve run` does not' };
  if (env['TERM'] === 'dumb')
    return { problem: 'TERM is dumb, so there is no session.', hint: 'Set TERM=xterm-256color.' };
  return { found: `${stdout.columns} columns, ${stdout.rows} rows${stdout.hasColours ? ', colours' : ''}` };
}

function problemOf(error: unknown): Finding {
  const failure = error instanceof CliError ? error : describeFailure(error);
  if (failure) return { problem: failure.message, hint: failure.hint };
  if (error instanceof Error) return { problem: error.message };
  throw error;
}
