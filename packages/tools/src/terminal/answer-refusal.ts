import type { ToolContext } from '../contract/tool.ts';
import type { ShellCall } from './shell-call.ts';
import { ShellController } from './shell-controller.ts';
import { ShellFactory } from './shell-factory.ts';
import type { TerminalOptions } from './terminal-options.ts';
import { withSuffix, type TerminalReport } from './terminal-report.ts';

/** Longest time of a timer. */
const maxDelayMs = 2 ** 31 - 1;

/**
 * Adds what the sandbox refused to the report of a command that has ended. If the command has failed, no rule denies
 * what was refused, and a person allows it, runs the command once more outside of the sandbox, and returns the report
 * of that. A fresh shell runs it, because variables and functions of the one inside may replace programs.
 */
export async function answerRefusal(
  report: TerminalReport,
  call: ShellCall,
  context: ToolContext,
  options: TerminalOptions,
): Promise<TerminalReport> {
  const { exit_code: exitCode = -1, metadata = {} } = report;
  const directory = metadata.working_dir ?? context.workspace;
  const refusal = exitCode === -1 ? undefined : options.sandbox?.describeRefusals(outputOf(report), directory);
  if (refusal === undefined) return report;
  const { text, isDenied, ports } = refusal;
  const opened = new Set<boolean>();
  for (const port of exitCode === 0 ? [] : ports) opened.add((await options.sandbox?.openPort(port)) === true);
  if (opened.has(true))
    return withSuffix(report, `[${text} The user has opened it in the meantime: run the command again.]`);
  const isCommand = !call.is_input && call.command.trim() !== '';
  const isAllowed =
    isCommand && exitCode !== 0 && !isDenied && ports.length === 0 && (await context.askOutside?.(refusal));
  if (isAllowed !== true) return withSuffix(report, `[${text}]`);
  const outside = await runOutside(call, context, options);
  const prefix = `[${text} The user let the command run again outside of it, in a fresh shell:]`;
  return {
    ...outside,
    metadata: { ...outside.metadata, prefix, ...(metadata.working_dir && { working_dir: directory }) },
  };
}

function outputOf({ content = [] }: TerminalReport): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Runs a command until it ends or its time is over. */
async function runOutside(
  call: ShellCall,
  context: ToolContext,
  { sandbox: _sandbox, ...options }: TerminalOptions,
): Promise<TerminalReport> {
  const factory = new ShellFactory(options);
  const shell = new ShellController(factory, maxDelayMs);
  try {
    const report = await shell.call({ ...call, reset: false }, context);
    if (report.timeout !== true) return report;
    return { ...report, metadata: { ...report.metadata, suffix: '[Its time was over, and it was ended.]' } };
  } finally {
    await shell.close();
    await factory.close();
  }
}
