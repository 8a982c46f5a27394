import { text } from '@varve/events';
import { truncateMiddle, type Redactor, shellWord } from '@varve/text';
import type { ToolContext } from '../contract/tool.ts';
import { invalidReason, type ShellCall } from '../terminal/shell-call.ts';
import { refusalReport, type TerminalReport } from '../terminal/terminal-report.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Options of the tools of a workspace on an agent-server. */
export interface RemoteToolOptions {
  readonly workspace: Workspace;
  /** Masks secrets in output, before it is cut. */
  readonly redactor: Pick<Redactor, 'text' | 'lines'>;
}

/** Maximum length of the output of a call. */
export const maxOutputChars = 30_000;
/** Seconds after which a command without a timeout is ended. */
export const defaultSeconds = 120;

/**
 * Returns the function that runs the calls of a terminal on an agent-server. Each command has a shell of its own, which
 * starts in the directory where the last one ended.
 */
export function remoteShell({
  workspace,
  redactor,
}: RemoteToolOptions): (call: ShellCall, context: ToolContext) => Promise<TerminalReport> {
  let directory: string | undefined;
  return async (call, context) => {
    const start = call.reset ? workspace.directory : (directory ?? context.shellDirectory ?? workspace.directory);
    const reason = refusedReason(call, start, context, workspace);
    if (reason !== undefined) return refusalReport(call.command, reason);
    const { output, exitCode, timedOut, suffix, end } = await runAt(start, call, context, workspace);
    directory = end;
    const shown = truncateMiddle(
      redactor.text(output),
      maxOutputChars,
      ({ chars }) => `[${chars} characters left out]`,
    );
    return {
      content: shown === '' ? [] : [text(shown)],
      command: call.command,
      exit_code: exitCode,
      timeout: timedOut,
      metadata: { exit_code: exitCode, pid: -1, working_dir: end, prefix: '', suffix },
    };
  };
}

function refusedReason(
  call: ShellCall,
  start: string,
  { startDirectories, workspace: local }: ToolContext,
  { directory }: Workspace,
): string | undefined {
  if (call.is_input || call.command.trim() === '')
    return 'A command on an agent-server takes no input and returns all of its output: is_input and an empty command have no meaning.';
  const isApproved = startDirectories?.some((each) => each === start || (each === local && start === directory));
  if (isApproved === false) return `The command was not approved to start in ${start}.`;
  return invalidReason(call);
}

/** Runs a command; `end` is the directory in which its shell ended. */
async function runAt(
  start: string,
  { command, timeout = defaultSeconds }: ShellCall,
  { signal, idempotencyKey }: ToolContext,
  workspace: Workspace,
) {
  const mark = `[end of ${idempotencyKey}]`;
  const report = `printf "\\n%s%s" ${shellWord(mark)} "$PWD"`;
  const script = `trap ${shellWord(report)} EXIT\ncd -- ${shellWord(start)} || exit\n${command}\n`;
  const { stdout, stderr, ...result } = await workspace.execute(script, { timeoutMs: timeout * 1000, signal });
  const at = stdout.lastIndexOf(`\n${mark}`);
  return {
    ...result,
    output: [at < 0 ? stdout : stdout.slice(0, at), stderr].filter(Boolean).join('\n'),
    suffix: result.timedOut ? `[The command was ended after ${timeout} s.]` : '[The command has finished.]',
    end: at < 0 ? start : stdout.slice(at + 1 + mark.length),
  };
}
