import { text as readAll } from 'node:stream/consumers';
import { Option } from 'commander';
import { CliError } from '../cli-error.ts';
import type { CliCommand } from '../define-command.ts';
import { exitCodes } from '../exit-codes.ts';
import type { RunOptions } from '../run-options.ts';
import { runTask } from '../run-task.ts';
import type { TerminalIo } from '../terminal-io.ts';
import { positiveInteger } from './ls.ts';

/** Runs the agent on a task, or goes on with a conversation. */
export const run: CliCommand = {
  register(parent, io, done) {
    parent
      .command('run')
      .argument('[task...]', 'what to do; read from standard input when left out or -')
      .description('Run the agent on a task. Its last message goes to stdout, all else to stderr.')
      .option(
        '-m, --model <name>',
        'the model: NAME of OpenAI, or PROVIDER/NAME such as openrouter/… or ollama/… (LLM_MODEL)',
      )
      .option('--base-url <url>', 'any server that speaks the OpenAI chat protocol (LLM_BASE_URL)')
      .addOption(
        new Option('--function-calling <way>', 'how the model calls tools: in the protocol, or written into its text')
          .choices(['native', 'mock', 'auto'])
          .default('auto'),
      )
      .option('-w, --workspace <dir>', 'where the agent works (default: here)')
      .option('--store <url>', 'where the log is kept: sqlite:FILE, dir:PATH or memory: (VARVE_STORE)')
      .addOption(
        new Option(
          '--confirm <policy>',
          'which calls you must allow (default: never, and with --resume as before)',
        ).choices(['never', 'always', 'risky']),
      )
      .option('--resume <id>', 'go on with a conversation')
      .option('--approve', 'with --resume: allow the calls that wait')
      .option('--reject <reason>', 'with --resume: refuse the calls that wait')
      .option('--max-steps <count>', 'end the run after this many steps', positiveInteger)
      .option('--json', 'print every event on stdout, one per line, exactly as stored')
      .action(async (words: readonly string[], options: RunOptions) => {
        check(options);
        const task = await taskFrom(words, options, io);
        if (options.approve && task !== '') {
          throw new CliError(
            exitCodes.usage,
            'A message refuses the calls that wait, and --approve allows them: give one of them.',
          );
        }
        done(await runTask(task, options, io));
      });
  },
};

function check({ resume, approve, reject }: RunOptions): void {
  if (resume === undefined && (approve || reject !== undefined)) {
    throw new CliError(exitCodes.usage, '--approve and --reject need --resume ID.');
  }
  if (approve && reject !== undefined) throw new CliError(exitCodes.usage, 'Either --approve or --reject, not both.');
}

async function taskFrom(words: readonly string[], { resume }: RunOptions, io: TerminalIo): Promise<string> {
  const typed = words.join(' ').trim();
  const isAskedFor = typed === '-';
  const isPiped = typed === '' && resume === undefined && !io.stdin.isTTY;
  const task = isAskedFor || isPiped ? (await readAll(io.stdin)).trim() : typed;
  if (task === '' && resume === undefined) {
    throw new CliError(exitCodes.usage, 'There is no task.', 'Say what to do: varve run "Fix the failing test"');
  }
  return task;
}
