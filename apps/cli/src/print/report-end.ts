import type { RunResult } from '@varve/agent';
import { LlmError } from '@varve/llm';
import { withCommandName } from '../terminal/command-name.ts';
import { describeFailure } from '../home/describe-failure.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { storeUrl } from '../home/open-configured-store.ts';
import { styled } from '../terminal/output.ts';
import { endSentence } from '../wording/end-sentence.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import type { Progress } from './progress.ts';
import { resumeCommand } from '../opening/resume-command.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** The run that ended, and where to report it. */
export interface EndContext {
  readonly id: string;
  readonly options: RunOptions;
  readonly io: TerminalIo;
  readonly progress: Progress;
  /** The answer was printed on the same terminal while it arrived. */
  readonly isShown?: boolean;
}

/** Reports how a run ended and what can be done next; only the final message goes to stdout. */
export async function reportEnd(
  result: RunResult,
  { id, options, io, progress, isShown }: EndContext,
): Promise<ExitCode> {
  const resume = resumeCommand(id, options, io);
  const isKept = (await storeUrl(io, options.store)) !== 'memory:' && !options.demo;
  const stop = (sentence: string, code: ExitCode): ExitCode => {
    progress.lineAbove(styled('yellow', sentence));
    if (isKept) progress.lineAbove(`Resume with: ${resume}`);
    return code;
  };
  if (result.reason === 'finished' || result.reason === 'asked') {
    progress[Symbol.dispose]();
    const answer = result.output === undefined ? result.text : JSON.stringify(result.output);
    if (!isShown || result.output !== undefined) printAnswer(answer, options, io);
    const { text, isContradicted, isFresh } = result.evidence ?? {};
    if (text !== undefined) io.stderr.line(styled(isContradicted ? 'yellow' : 'dim', text));
    if (options.requireFreshCheck && !isFresh && result.reason === 'finished')
      return stop('No check passed after the last change of a file, or one failed.', exitCodes.unfinished);
    const isAsked = result.reason === 'asked';
    if (isKept && (isAsked || isQuestion(result.text))) io.stderr.line(`Answer with: ${resume} "ANSWER"`);
    else if (isKept) io.stderr.line(styled('dim', `Resume with: ${resume}`));
    return isAsked ? exitCodes.asked : exitCodes.ok;
  }
  if (result.reason === 'waiting') return exitCodes.waiting;
  const sentence = endSentence(result, options);
  if (sentence !== undefined) {
    const isStopped = result.reason === 'paused' || result.reason === 'interrupted';
    return stop(sentence, isStopped ? exitCodes.interrupted : exitCodes.unfinished);
  }
  if (result.reason !== 'error') return exitCodes.unfinished;
  return reportError(result.error, isKept ? resume : undefined, { progress, io });
}

/** Reports whether a final message ends with a question, also in a language with another mark. */
function isQuestion(text: string): boolean {
  return /[?？؟][\s"'”’)*_]*$/u.test(text);
}

function printAnswer(text: string, { json }: RunOptions, { stdout, stderr }: TerminalIo): void {
  if (stdout.isTTY) stderr.line('');
  if (!json) stdout.text(text);
}

/** A resumed run uses the stored model, so after an error about its name the command names another one. */
function reportError(
  error: Error,
  resume: string | undefined,
  { progress, io }: Pick<EndContext, 'progress' | 'io'>,
): ExitCode {
  const failure = describeFailure(error);
  if (!failure) throw error;
  progress.lineAbove([styled('red', 'varve:'), ' ', failure.message]);
  if (failure.hint) progress.lineAbove(withCommandName(failure.hint, io));
  const isModel = error instanceof LlmError && (error.code === 'unknown-model' || error.code === 'unsupported');
  if (resume !== undefined)
    progress.lineAbove(`Progress is saved. Resume with: ${resume}${isModel ? ' --model NAME' : ''}`);
  return failure.exitCode;
}
