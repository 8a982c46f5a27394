import { createHash } from 'node:crypto';
import type { HookEventType } from '@varve/events/kinds';
import { ToolError } from '@varve/tools';
import { localWorkspace, runCommand, type ProgramSandbox } from '@varve/tools/workspace';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { lazy } from '@varve/events';
import type { CommandHook } from './hook-config.ts';

/** Input of a hook, as it reads it from its standard input. @see software-agent-sdk HookEvent */
export interface HookInput {
  readonly event_type: HookEventType;
  readonly tool_name?: string;
  readonly tool_input?: unknown;
  readonly tool_response?: unknown;
  readonly message?: string;
  readonly session_id: string;
  readonly working_dir: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Result of a hook. */
export interface HookResult {
  /** -1 if it could not be started, was stopped or timed out. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly success: boolean;
  readonly blocked: boolean;
  readonly reason?: string;
  /** Text for the model. */
  readonly context?: string;
  readonly error?: string;
}

/** Longest output in which a decision is looked for, in characters. */
const maxDecisionLength = 1_000_000;
const defaultSeconds = 60;

/** Fields of another type are left out one by one: `null` as a reason must not undo a denial. */
const decision = lazy(() =>
  z.object({
    decision: z.string().optional().catch(undefined),
    reason: z.string().optional().catch(undefined),
    additionalContext: z.string().optional().catch(undefined),
    continue: z.boolean().optional().catch(undefined),
  }),
);

/** Circumstances of {@link runHook}. */
export interface HookContext {
  readonly signal: AbortSignal;
  /** Walls around the hook. Default: none. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/**
 * Runs a hook in its directory, with the public variables of this process and those of the reference. Exit code 0 is
 * success, 2 blocks with the standard error as the reason, others are failures that block nothing. JSON in the standard
 * output counts whatever the exit code is: `decision` (`deny` or `block`), `reason`, `additionalContext`, `continue`.
 * JSON that is too long to be read blocks.
 *
 * @throws {ToolError} `aborted`.
 * @see software-agent-sdk openhands/sdk/hooks/executor.py
 */
export async function runHook(
  hook: CommandHook,
  input: HookInput,
  { signal, sandbox }: HookContext,
): Promise<HookResult> {
  const { directory = input.working_dir } = hook;
  const changed = await changedFile(hook, directory);
  if (changed !== undefined) {
    const reason = `The file ${changed} of a hook changed since it was trusted.`;
    return { ...failure(reason), blocked: true, reason };
  }
  const timeoutMs = (hook.timeout ?? defaultSeconds) * 1000;
  try {
    const variables = variablesOf(input, directory);
    const ended = await runCommand(hook.command, directory, {
      timeoutMs,
      signal,
      variables,
      input: JSON.stringify(input),
      ...(sandbox && { sandbox }),
    });
    const { stdout, stderr, exitCode, timedOut } = ended;
    if (timedOut) return { ...failure(`The hook ran longer than ${timeoutMs / 1000} s.`), stdout, stderr };
    const refusal = exitCode === 0 ? undefined : sandbox?.describeRefusals(`${stdout}\n${stderr}`, directory)?.text;
    const error = refusal === undefined ? {} : { error: `${refusal} Its setting is sandbox.profile.` };
    return { exitCode, stdout, stderr, success: exitCode === 0, ...verdictOf(exitCode, stdout, stderr), ...error };
  } catch (error) {
    if (!(error instanceof ToolError) || error.code === 'aborted') throw error;
    return failure(error.message);
  }
}

/** Returns the result of a hook without a decision, which blocks nothing. */
export function failure(error: string): HookResult {
  return { exitCode: -1, stdout: '', stderr: '', success: false, blocked: false, error };
}

/** Returns the verdict of a hook by its exit code and its output. */
export function verdictOf(exitCode: number, stdout: string, stderr: string): Pick<HookResult, 'blocked' | 'reason'> {
  // The decision that is not read may be a denial.
  if (isTooLong(stdout)) {
    return { blocked: true, reason: `The JSON of the hook is longer than ${maxDecisionLength} characters.` };
  }
  const json = decisionIn(stdout);
  const denies = ['deny', 'block'].includes(json?.decision?.toLowerCase() ?? '') || json?.continue === false;
  const blocked = denies || exitCode === 2;
  const reason = [json?.reason, stderr.trim(), 'A hook gave no reason.'].find(
    (text) => text !== undefined && text !== '',
  );
  return {
    blocked,
    ...(blocked && reason !== undefined && { reason }),
    ...(json?.additionalContext && { context: json.additionalContext }),
  };
}

/** Returns the decision in the output of a hook; undefined for other text. */
function decisionIn(stdout: string): z.output<ReturnType<typeof decision>> | undefined {
  return stdout.trimStart().startsWith('{') ? decision().safeParse(parseJson(stdout)).data : undefined;
}

function isTooLong(stdout: string): boolean {
  return stdout.length > maxDecisionLength && stdout.trimStart().startsWith('{');
}

function variablesOf({ event_type, tool_name, session_id }: HookInput, directory: string): Record<string, string> {
  return {
    OPENHANDS_PROJECT_DIR: directory,
    OPENHANDS_SESSION_ID: session_id,
    OPENHANDS_EVENT_TYPE: event_type,
    ...(tool_name !== undefined && { OPENHANDS_TOOL_NAME: tool_name }),
  };
}

/** Returns the first file of a hook that is not as it was trusted. */
async function changedFile({ files = {} }: CommandHook, directory: string): Promise<string | undefined> {
  for (const [path, digest] of Object.entries(files)) {
    // Reads regular files inside of the workspace only: the agent may have replaced it by a pipe or a link.
    const content = await localWorkspace(directory)
      .read(path)
      .catch(() => undefined);
    if (!content || createHash('sha256').update(content).digest('hex') !== digest) return path;
  }
  return undefined;
}
