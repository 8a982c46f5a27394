import { createInterface, type Interface } from 'node:readline';
import { AgentError, type RunResult } from '@varve/agent';
import type { HostedConversation, RunRequest } from '@varve/host';
import { parseJson } from '@varve/text';
import * as z from 'zod';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { InputStream } from '../terminal/muted-input.ts';
import type { RunOptions } from '../opening/run-options.ts';

/** Line of `--input-format stream-json`. Actions are ids of the events of calls. */
const inputLine = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('message'), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('approve'), actions: z.array(z.string()).min(1) }),
  z.strictObject({ type: z.literal('reject'), actions: z.array(z.string()).min(1), reason: z.string().min(1) }),
  z.strictObject({ type: z.literal('interrupt') }),
]);

type InputLine = z.output<typeof inputLine>;

/** Messages, decisions and interrupts of the program that started the command, as lines of standard input. */
export class StreamInput {
  readonly #reader: Interface;
  readonly #lines: AsyncIterator<string>;
  #count = 0;

  constructor(stdin: InputStream) {
    this.#reader = createInterface({ input: stdin });
    this.#lines = this.#reader[Symbol.asyncIterator]();
  }

  /**
   * Returns the task: the typed words, or the first message. A resumed conversation needs none.
   *
   * @throws {CliError} `usage` if the first line is not a message.
   */
  async task(words: readonly string[], { resume }: RunOptions): Promise<string> {
    const typed = words.join(' ').trim();
    if (typed !== '' || resume !== undefined) return typed;
    const first = await this.#next();
    if (first?.type === 'message') return first.text;
    throw new CliError(exitCodes.usage, 'The first line of standard input is not a message.');
  }

  /**
   * Runs, and again for messages and decisions, until the input ends and the run with it. `report` receives a sentence
   * about a decision that fits no call.
   *
   * @throws {CliError} `usage` for a line of another form; closing the conversation interrupts the run.
   */
  async run(hosted: HostedConversation, request: RunRequest, report: (problem: string) => void): Promise<RunResult> {
    let isDecided = false;
    const continues = (): boolean => {
      const wasDecided = isDecided;
      isDecided = false;
      return wasDecided;
    };
    const run = (): Promise<RunResult> => {
      const running = hosted.run({ ...request, continues });
      // Reported when it is awaited.
      running.catch(() => undefined);
      return running;
    };
    let running = run();
    try {
      for (let line = await this.#next(); line; line = await this.#next()) {
        const problem = await execute(line, hosted);
        if (problem !== undefined) report(problem);
        else if (line.type !== 'interrupt') {
          isDecided ||= line.type !== 'message';
          running = run();
        }
      }
      return await running;
    } finally {
      this.#reader.close();
    }
  }

  async #next(): Promise<InputLine | undefined> {
    const { value, done } = await this.#lines.next();
    this.#count += 1;
    if (done) return undefined;
    if (value.trim() === '') return this.#next();
    const { data } = inputLine.safeParse(parseJson(value));
    if (data) return data;
    throw new CliError(
      exitCodes.usage,
      `Line ${this.#count} of standard input is not a message, decision or interrupt.`,
      'docs/cli.md describes the lines of --input-format stream-json.',
    );
  }
}

/** Returns the sentence about a line that does not fit the state of the conversation; undefined for one that does. */
async function execute(line: InputLine, hosted: HostedConversation): Promise<string | undefined> {
  try {
    if (line.type === 'message') await hosted.send(line.text);
    else if (line.type === 'approve') await hosted.decide({ actionIds: line.actions, by: 'stream' });
    else if (line.type === 'reject') await hosted.decide({ reject: line.reason, actionIds: line.actions });
    else await hosted.interrupt();
    return undefined;
  } catch (error) {
    if (error instanceof AgentError && error.code !== 'taken-over' && error.code !== 'closed') return error.message;
    throw error;
  }
}
