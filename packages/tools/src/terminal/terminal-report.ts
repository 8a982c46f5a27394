import { hostname, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { text } from '@varve/events';
import type { TerminalObservation } from '@varve/events/payloads';
import type { CapturedOutput } from './output/output-buffer.ts';

/** The fields of a terminal observation. */
export type TerminalReport = Parameters<typeof TerminalObservation.create>[0];

/** What one call has to tell. */
export interface ReportInput {
  /** As the observation shows it. */
  readonly command: string;
  readonly output?: CapturedOutput;
  /** Says to what the output belongs, when it is not this command alone. */
  readonly prefix?: string;
  /** Says in which state the shell is. */
  readonly suffix: string;
  /** Absent while the command runs. */
  readonly exitCode?: number;
  readonly isError?: boolean;
  readonly timedOut?: boolean;
  readonly shell: { readonly pid: number; readonly directory: string };
}

/** What a call brought back, as the fields of its observation. */
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

/** A call that did nothing, and why. */
export function refusalReport(command: string, reason: string): TerminalReport {
  return { content: [text(reason)], is_error: true, command };
}

function hostInfo(): { hostname: string; username?: string } {
  try {
    return { username: userInfo().username, hostname: hostname() };
  } catch {
    // The user has no name on this machine, as in many containers.
    return { hostname: hostname() };
  }
}
