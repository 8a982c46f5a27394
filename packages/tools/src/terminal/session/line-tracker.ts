/**
 * Meaning of a prompt. `ended`: the last command has ended. `settled`: so have the effects of keys that were sent to
 * it, or there were none. `lost`: the last command was not started. `unusable`: nor does the shell answer probes.
 * `unknown`: another prompt follows.
 */
export type PromptMeaning = 'ended' | 'settled' | 'lost' | 'unusable' | 'unknown';

/** Number of unanswered probes after which no answer is expected. */
const maxProbes = 10;

/**
 * Numbers the lines that are sent to a shell, and decides from the numbers in its prompts which of them it has
 * executed. A line may be lost: C-c discards it, and a command may leave the shell in a state in which it executes
 * none. A prompt with another number than that of the last command is therefore followed by a probe, a line that does
 * nothing. The shell reads lines in order, so a command whose prompt has not arrived when a probe is answered was not
 * started.
 */
export class LineTracker {
  readonly #sendProbe: (id: number) => void;
  #lines = 0;
  /** Number of the last command. */
  #command = 0;
  /** Number in the last prompt. */
  #last = -1;
  #hasEnded = false;
  /** True if keys were sent after the last line. */
  #isDisturbed = false;
  #probe: number | undefined;
  #probes = 0;

  constructor(sendProbe: (id: number) => void) {
    this.#sendProbe = sendProbe;
  }

  /** Returns the number of the next command. */
  next(): number {
    this.#lines += 1;
    this.#command = this.#lines;
    this.#hasEnded = false;
    this.#isDisturbed = false;
    this.#probe = undefined;
    return this.#command;
  }

  /**
   * Records keys that may reach the shell itself. They may discard lines, or be received after the prompt of one: only
   * the answer to a probe that was sent after them proves that their effects are over.
   */
  disturb(): void {
    this.#isDisturbed = true;
  }

  prompt(id: number): PromptMeaning {
    const isRepeated = id === this.#last;
    this.#last = id;
    const isEnd = id === this.#command && !this.#hasEnded;
    if (isEnd) this.#hasEnded = true;
    if (id === this.#probe && !this.#isDisturbed) return this.#answered(this.#hasEnded ? 'settled' : 'lost');
    if (this.#probe === undefined && isEnd && !this.#isDisturbed) return 'settled';
    if (this.#probe === undefined || this.#isDisturbed) {
      this.#probes = 0;
      this.#send();
    } else if (isRepeated) {
      // No line was executed in between, so C-c has discarded the probe, or the shell cannot execute it.
      if (this.#probes >= maxProbes) return this.#answered(this.#hasEnded ? 'settled' : 'unusable');
      this.#send();
    }
    return isEnd ? 'ended' : 'unknown';
  }

  #send(): void {
    this.#lines += 1;
    this.#probes += 1;
    this.#probe = this.#lines;
    this.#isDisturbed = false;
    this.#sendProbe(this.#probe);
  }

  #answered(meaning: PromptMeaning): PromptMeaning {
    this.#probe = undefined;
    return meaning;
  }
}
