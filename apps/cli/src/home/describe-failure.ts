import { AgentError, type AgentErrorCode } from '@varve/agent';
import { CondenserError } from '@varve/condensers';
import { SpecError } from '@varve/events/specs';
import { LlmError, type LlmErrorCode } from '@varve/llm';
import { SettingsError, type SettingsErrorCode } from '@varve/settings';
import { StorageError, type StorageErrorCode } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { withCommandName } from '../terminal/command-name.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** A failure as shown to the user. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** One sentence. */
  readonly message: string;
  /** Next thing to do, if known. */
  readonly hint?: string | undefined;
}

const modelHints: Partial<Record<LlmErrorCode, string>> = {
  unauthenticated: 'Set another key, or choose another model with `varve init`.',
  'unknown-model': 'Choose another model with --model.',
  unavailable: 'Check that the server is running and can be reached, or choose another one with --base-url.',
  timeout: 'Check that the server answers.',
  'rate-limited': 'Wait, then resume.',
  quota: "Check the account's credit, then resume.",
  unsupported: 'Choose a model that supports tool calling.',
};

const agentHints: Partial<Record<AgentErrorCode, string>> = {
  'calls-changed': 'Resume without --approve: it prints the calls that wait now.',
  'hooks-missing':
    'Trust its hooks again with `varve trust`, or resume with --hooks none, or --hooks current for those that are trusted.',
  blocked:
    'A hook decided that: `varve show` prints its reason, `varve trust list` the directories with trusted hooks.',
  'policy-missing': 'Set --confirm: the calls that need your approval.',
};

const settingsHints: Partial<Record<SettingsErrorCode, string>> = {
  'no-model': 'Name it with --model or LLM_MODEL.',
  'no-key': 'Set the variable, or choose another key with `varve config set llm.api_key_ref env:NAME`.',
  missing: '`varve profile` lists the model profiles.',
  'hooks-changed': 'Resume with --hooks current to use those that are trusted now, or with --hooks none.',
  untrusted: 'Try again, and look at what changes it.',
  locked: 'Wait until the other process has ended, or end it.',
  io: 'Choose another directory with VARVE_HOME.',
};

const storageHints: Partial<Record<StorageErrorCode, string>> = {
  missing: '`varve ls` lists the conversations of a store.',
  held: 'Wait until the other process has ended, or end it. If it is gone with its machine, `varve repair --take-over` ends the wait.',
  incomplete: '`varve show` shows what is left, `varve repair` ends the log before the loss.',
  unsealed: '`varve verify ID` names the events, `varve repair ID --accept-unsealed` accepts them as they are.',
  full: 'Free disk space, then use --resume: stored events are not lost.',
  io: 'Choose another place with --store or VARVE_HOME.',
};

/** Errors of packages that only some commands load: those that read foreign logs, and those that install packages. */
const lazyErrors: ReadonlySet<string> = new Set(['InteropError', 'RequestError']);

/** Returns message, hint and exit status of an error; undefined for a bug, which ends the process. */
export function describeFailure(error: unknown): Failure | undefined {
  if (error instanceof CliError) return failure(error.exitCode, error.message, error.hint);
  if (error instanceof LlmError) return failure(exitCodes.model, error.message, modelHints[error.code]);
  if (error instanceof CondenserError) return failure(exitCodes.model, error.message);
  if (error instanceof AgentError) return failure(exitCodes.usage, error.message, agentHints[error.code]);
  if (error instanceof Error && lazyErrors.has(error.name)) return failure(exitCodes.usage, error.message);
  if (error instanceof SpecError) return failure(exitCodes.usage, error.message);
  if (error instanceof SettingsError) return failure(exitCodes.usage, error.message, settingsHints[error.code]);
  if (error instanceof SuppressedError) return describeFirst(error);
  if (!(error instanceof StorageError)) return undefined;
  const exitCode =
    error.code === 'missing' ? exitCodes.missing : error.code === 'invalid' ? exitCodes.usage : exitCodes.storage;
  return failure(exitCode, error.message, storageHints[error.code]);
}

/**
 * Describes the failure that ended the work, if what was open could not be closed either: the same disk fails both. A
 * bug in either is one.
 */
function describeFirst({ suppressed, error }: SuppressedError): Failure | undefined {
  return describeFailure(error) && describeFailure(suppressed);
}

function failure(exitCode: ExitCode, message: string, hint?: string): Failure {
  return { exitCode, message, ...(hint !== undefined && { hint }) };
}

/** Returns the sentence about a failure, and what to do next. @throws the error if it is a bug. */
export function failureText(error: unknown, io: TerminalIo): string {
  const described = describeFailure(error);
  if (!described) throw error;
  const { message, hint } = described;
  return hint === undefined ? message : `${message} ${withCommandName(hint, io)}`;
}
