import {
  SdkError,
  SdkErrorCode,
  UrlElicitationRequiredError,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { lazy } from '@varve/events';
import * as z from 'zod';
import { ToolError } from '../contract/error.ts';
import type { AskForServer } from './ask-for-server.ts';
import { serverQuestion } from './server-question.ts';

/** Operation of a server that is in progress. */
interface Operation {
  /** Aborts when its caller cancels it, and when it takes too long. */
  readonly signal: AbortSignal;
  readonly startTimer: () => void;
  readonly stopTimer: () => void;
}

const requiredAddresses = lazy(() => {
  const text = z.string();
  const address = z.object({ mode: z.literal('url'), message: text, url: text, elicitationId: text });
  return z.object({ elicitations: z.array(address).min(1) });
});

/** Question after the addresses: few servers report that the person is done there. */
const whenDone: ElicitRequestFormParams = {
  message: 'Are you done at the address? The call is sent again.',
  requestedSchema: { type: 'object', properties: {} },
};

/** Most questions of a server in a row, until the next operation starts. */
const maxQuestions = 10;

/**
 * Operations of one server in progress, during which it may ask the person. The time limit of an operation starts again
 * with each answer.
 */
export class Operations {
  readonly #server: string;
  readonly #timeoutMs: number;
  readonly #ask: AskForServer | undefined;
  readonly #active = new Set<Operation>();
  #questions = 0;
  #asked = 0;

  constructor(server: string, timeoutMs: number, ask: AskForServer | undefined) {
    this.#server = server;
    this.#timeoutMs = timeoutMs;
    this.#ask = ask;
  }

  /** Runs an operation, whose signal aborts with that of the caller and after the time limit. */
  async run<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const overdue = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const operation: Operation = {
      signal: AbortSignal.any([caller, overdue.signal]),
      startTimer: () => {
        clearTimeout(timer);
        timer = setTimeout(
          () => overdue.abort(new SdkError(SdkErrorCode.RequestTimeout, 'Request timed out')),
          this.#timeoutMs,
        );
      },
      stopTimer: () => clearTimeout(timer),
    };
    this.#asked = 0;
    this.#active.add(operation);
    operation.startTimer();
    try {
      return await work(operation.signal);
    } finally {
      this.#active.delete(operation);
      operation.stopTimer();
    }
  }

  /**
   * Sends a request; once more if the server answers that the person has to open addresses first, and the person does.
   *
   * @throws {ToolError} `unusable` with the address that the person does not open.
   */
  async afterAddresses<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      if (!UrlElicitationRequiredError.isInstance(error)) throw error;
      const { data } = requiredAddresses().safeParse(error.data);
      if (!data) throw error;
      for (const question of [...data.elicitations, whenDone]) {
        const { action } = await this.answer(question, signal);
        if (action === 'accept') continue;
        const addresses = data.elicitations.map(({ message, url }) => `${url} (${message})`).join(', ');
        throw new ToolError('unusable', `The person has to open ${addresses} first.`);
      }
    }
    return send();
  }

  /**
   * Asks the person a question of the server. Without an operation in progress, and after too many questions, it is
   * cancelled.
   *
   * @throws {ToolError} as {@link serverQuestion}.
   */
  async answer(params: ElicitRequestFormParams | ElicitRequestURLParams, request: AbortSignal): Promise<ElicitResult> {
    const operations = [...this.#active];
    const question = serverQuestion(this.#server, params);
    if (!this.#ask || operations.length === 0 || ++this.#asked > maxQuestions) return { action: 'cancel' };
    const signal = AbortSignal.any([request, ...operations.map((operation) => operation.signal)]);
    this.#questions += 1;
    for (const { stopTimer } of operations) stopTimer();
    try {
      const answer = await this.#ask(question, signal);
      if (answer === 'cancel' || answer === 'decline') return { action: answer };
      return { action: 'accept', ...(question.url ? {} : { content: answer }) };
    } finally {
      this.#questions -= 1;
      if (this.#questions === 0) for (const { startTimer } of this.#active) startTimer();
    }
  }
}
