import { hostname, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { text } from '@varve/events';
import type { TerminalObservation } from '@varve/events/payloads';
import type { CapturedOutput } from './output/output-buffer.ts';

/** Fields of a terminal observation. */
export type TerminalReport = Parameters<typeof TerminalObservation.create>[0];

/** Result of one call. */
export interface ReportInput {
  /** Command as the observation contains it. */
  readonly command: string;
  readonly output?: CapturedOutput;
  /** Text before the output, when it does not belong to this command alone. */
  readonly prefix?: string;
  /** Message after the output: the state of command and shell. */
  readonly suffix: string;
  /** Absent while the command is running. */
  readonly exitCode?: number;
  readonly isError?: boolean;
  readonly timedOut?: boolean;
  readonly shell: { readonly pid: number; readonly directory: string };
}

/** Returns the observation fields of a call. */
export function terminalReport({
  command,
  output,
  prefix = '',
  suffix,
  exitCode = -1,
  isError = false,
  ...rest
}: ReportInput): TerminalReport {
  const { shell, timedOut = false } = rest;
  return {
    content: output === undefined || output.text === '' ? [] : [text(output.text)],
    is_error: isError,
    command,
    exit_code: exitCode,
    timeout: timedOut,
    metadata: {
      exit_code: exitCode,
      pid: shell.pid,
      ...hostInfo(),
      working_dir: shell.directory,
      prefix,
      suffix,
    },
    ...(output?.file !== undefined && { full_output_save_dir: dirname(output.file) }),
  };
}

/** Returns a report with a further note after the output. */
export function withSuffix(report: TerminalReport, note: string): TerminalReport {
  const { metadata = {} } = report;
  return { ...report, metadata: { ...metadata, suffix: `${metadata.suffix ?? ''}\n${note}` } };
}

/** Returns the observation fields of a call that was not executed. */
export function refusalReport(command: string, reason: string): TerminalReport {
  return { content: [text(reason)], is_error: true, command };
}

function hostInfo(): { hostname: string; username?: string } {
  try {
    return { username: userInfo().username, hostname: hostname() };
  } catch {
    // The user id has no name, as in many containers.
    return { hostname: hostname() };
  }
}
