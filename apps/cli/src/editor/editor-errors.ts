import { RequestError } from '@agentclientprotocol/sdk';
import { LlmError } from '@varve/llm';
import { SettingsError } from '@varve/settings';
import { StorageError } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { describeFailure, failureText } from '../home/describe-failure.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Converts failures that a person can fix into errors of the protocol, with what can be done next. */
export async function answerOrFailure<T>(io: TerminalIo, answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    if (error instanceof RequestError) throw error;
    throw new RequestError(codeOf(error), failureText(error, io));
  }
}

function codeOf(error: unknown): number {
  const cause = error instanceof CliError ? error.cause : undefined;
  if (isWithoutKey(error) || isWithoutKey(cause)) return RequestError.authRequired().code;
  const exitCode = describeFailure(error)?.exitCode;
  if (exitCode === exitCodes.missing) return RequestError.resourceNotFound().code;
  const isUsage = error instanceof CliError || (error instanceof StorageError && error.code === 'invalid');
  return (isUsage && exitCode === exitCodes.usage ? RequestError.invalidParams() : RequestError.internalError()).code;
}

function isWithoutKey(error: unknown): boolean {
  if (error instanceof SettingsError) return error.code === 'no-key' || error.code === 'no-model';
  return error instanceof LlmError && error.code === 'unauthenticated';
}
