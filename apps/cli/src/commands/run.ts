import { Option } from 'commander';
import { CliError } from '../failures/cli-error.ts';
import { confirmOption, sandboxOption } from './agent-options.ts';
import type { CliCommand } from '../command-line/cli-command.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { RunOptions } from '../opening/run-options.ts';
import type { StreamInput } from '../print/stream-input.ts';
import { taskText } from '../print/task-text.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { addHeadlessOptions, fromHeadless, type HeadlessOptions } from './headless-options.ts';
import { collected, positiveInteger, positiveNumber } from './option-values.ts';

/** Runs the agent on a task, or resumes a conversation. */
export const run: CliCommand = (parent, io, done) => {
  const command = parent
    .command('run')
    .argument('[task...]', 'the task; standard input is appended to it, or is the task if omitted or -')
    .description('Run the agent on a task. Its last message goes to stdout, everything else to stderr.')
    .option(
      '-m, --model <name>',
      'the model: NAME of OpenAI, or PROVIDER/NAME such as openrouter/… or ollama/… (LLM_MODEL)',
    )
    .option('--base-url <url>', 'any server with the OpenAI chat protocol (LLM_BASE_URL)')
    .addOption(
      new Option(
        '--function-calling <mode>',
        'native tool calling, prompt-based (mock), or native until the server rejects tools (default: auto)',
      ).choices(['native', 'mock', 'auto']),
    )
    .option('-w, --workspace <dir>', 'directory of the agent (default: current directory)')
    .option('--workspace-server <url>', 'run commands and edit files on this agent-server (default: here)')
    .option(
      '--store <url>',
      'store of the log: sqlite:FILE, dir:PATH, postgres://HOST/DATABASE or memory: (VARVE_STORE)',
    )
    .addOption(confirmOption('what is asked about; default: auto, with --resume the stored mode'))
    .addOption(sandboxOption('walls around commands: workspace (default where the system has walls), read-only, off'))
    .addOption(
      new Option(
        '--text-reply <meaning>',
        'a reply without calls is the end (finish, default), a question that the terminal or the lines of standard input answer (wait), or no end (continue)',
      ).choices(['finish', 'wait', 'continue']),
    )
    .option('--resume <id>', 'resume a conversation with its model, address, policy and limits')
    .option('--approve [digest]', 'with --resume: approve the waiting calls that were printed with this digest')
    .option('--reject <reason>', 'with --resume: reject the waiting calls')
    .addOption(
      new Option(
        '--hooks <which>',
        'with --resume: the hooks that are trusted now, or none (default: those it was used with)',
      ).choices(['current', 'none']),
    )
    .option('--env <name>', "a variable that the agent's shell gets, too; may be repeated", collected)
    .option('--tools <names>', 'the tools of a new conversation, separated by commas', namesIn)
    .option('--max-steps <count>', 'end the run after this many steps', positiveInteger)
    .option('--max-cost <usd>', 'end the run at this cost; refused for a model of unknown price', positiveNumber)
    .option('--max-tokens <count>', 'end the run at this number of tokens, in and out', positiveInteger)
    .option('--timeout <seconds>', 'end the run after this time, also in the middle of a step', positiveNumber)
    .option('--goal', 'the task is an objective: run until the model judges it as met; with --resume, continue it')
    .option('--max-rounds <count>', 'with --goal: end after this many rounds (default: 10)', positiveInteger)
    .option(
      '--require-fresh-check',
      'exit status 6 unless a test, lint, type check or build passed after the last change',
    )
    .option('--profile <name>', 'use this model profile (`varve profile`)')
    .option('--agent-profile <name>', 'use this agent profile')
    .option('--set <key=value>', 'any setting of `varve config`, for this run; may be repeated', collected)
    .option('--output-schema <file>', 'the answer has the form of this JSON Schema, and is alone on stdout as JSON')
    .addOption(
      new Option(
        '--input-format <format>',
        'standard input is text (default), or messages, decisions and interrupts as JSON lines (stream-json)',
      ).choices(['text', 'stream-json']),
    )
    .option('--sign', 'sign the log with the key that `varve key` created (VARVE_SIGNING_KEY)')
    .option('--json', 'print every new event on stdout, one per line, exactly as stored')
    .addOption(new Option('--demo').hideHelp());
  addHeadlessOptions(command).action(async (typed: readonly string[], flags: RunOptions & HeadlessOptions) => {
    const { words, options } = await fromHeadless(typed, flags, io);
    check(options);
    const input = options.inputFormat === 'stream-json' ? await streamInput(io) : undefined;
    const task = await (input ? input.task(words, options) : typedTask(words, options, io));
    if (options.approve !== undefined && task !== '') {
      throw new CliError(
        exitCodes.usage,
        'A message rejects the waiting calls and --approve approves them: use one of them.',
      );
    }
    // Loaded here, so that the help and wrong usage appear faster.
    const [{ runTask }, { offerInit }] = await Promise.all([
      import('../print/run-task.ts'),
      import('../print/offer-init.ts'),
    ]);
    done(await offerInit(() => runTask(task, options, io, input), options, io));
  });
};

async function streamInput({ stdin }: TerminalIo): Promise<StreamInput> {
  const { StreamInput } = await import('../print/stream-input.ts');
  return new StreamInput(stdin);
}

function namesIn(text: string): readonly string[] {
  return text.split(',').flatMap((name) => name.trim() || []);
}

async function typedTask(words: readonly string[], { resume, textReply }: RunOptions, io: TerminalIo): Promise<string> {
  return taskText({ words, isResumed: resume !== undefined, hasAnswers: textReply === 'wait' }, io);
}

/** @throws {CliError} `usage` for options that exclude each other, or lack another one. */
function check(options: RunOptions): void {
  const { resume, approve, reject, hooks, goal, maxRounds, inputFormat, outputSchema, textReply, tools } = options;
  const isResumed = resume !== undefined;
  const problems: readonly (readonly [isWrong: boolean | undefined, message: string, hint?: string])[] = [
    [
      inputFormat === 'stream-json' && goal,
      'A goal takes no messages: --goal cannot be used with --input-format stream-json.',
    ],
    [isResumed && outputSchema !== undefined, 'A conversation keeps the --output-schema that it was started with.'],
    [isResumed && tools !== undefined, 'A conversation keeps the --tools that it was started with.'],
    [
      outputSchema !== undefined && textReply === 'finish',
      'A text is no answer with --output-schema: --text-reply is continue or wait.',
    ],
    [maxRounds !== undefined && !goal, '--max-rounds needs --goal.'],
    [!isResumed && hooks !== undefined, '--hooks needs --resume ID.'],
    [!isResumed && (approve ?? reject) !== undefined, '--approve and --reject need --resume ID.'],
    [approve !== undefined && reject !== undefined, 'Either --approve or --reject, not both.'],
    [
      approve === true,
      '--approve needs the digest of the calls that it approves.',
      `\`varve run --resume ${resume}\` prints the waiting calls and their digest.`,
    ],
  ];
  const [, message, hint] = problems.find(([isWrong]) => isWrong) ?? [];
  if (message !== undefined) throw new CliError(exitCodes.usage, message, hint);
}
