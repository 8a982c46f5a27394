import { LlmError, type LanguageModel } from '@varve/llm';
import { AgentError } from '../error.ts';
import type { TitleOptions } from './title.ts';

/** Options of {@link TitleWriter}. */
export interface TitleWriterOptions {
  /** Returns the model that writes the title: `agent` for that of the agent, `none` for no title. */
  readonly model: () => Promise<LanguageModel | 'agent' | 'none'>;
  /** Longest time that a title takes; without a limit by default. */
  readonly maxMs?: number;
  /** Receives a failure that is neither one of the model nor the end of the conversation. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Names a conversation in the background, for an application: once, when it has a message and no title. A title that
 * exists is kept, also one that is set concurrently. When the model fails, the conversation keeps the first line of its
 * first message. Disposing abandons a title that is being written.
 */
export class TitleWriter implements AsyncDisposable {
  readonly #generate: (options: TitleOptions) => Promise<string>;
  readonly #options: TitleWriterOptions;
  readonly #unwanted = new AbortController();
  #writing: Promise<void> | undefined;

  constructor(generate: (options: TitleOptions) => Promise<string>, options: TitleWriterOptions) {
    this.#generate = generate;
    this.#options = options;
  }

  /** Starts to write the title unless that has been done; a conversation without a message has none yet. */
  start(): void {
    this.#writing ??= this.#write();
  }

  /** Resolves when no title is being written. */
  async finished(): Promise<void> {
    await this.#writing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#unwanted.abort();
    await this.#writing;
  }

  async #write(): Promise<void> {
    const { maxMs, onFailure } = this.#options;
    const { signal: unwanted } = this.#unwanted;
    const signal = maxMs === undefined ? unwanted : AbortSignal.any([unwanted, AbortSignal.timeout(maxMs)]);
    try {
      const model = await this.#options.model();
      if (model === 'none') return;
      await this.#generate({ when: 'untitled', signal, ...(model !== 'agent' && { model }) });
    } catch (error) {
      if (error instanceof AgentError && error.code === 'nothing-to-do') this.#writing = undefined;
      else if (!isExpected(error)) onFailure(error);
    }
  }
}

/** Returns true for a failure of the model, and for the end of the conversation during the call. */
function isExpected(error: unknown): boolean {
  return error instanceof LlmError || (error instanceof AgentError && error.code === 'closed');
}
