/** Environment of a measured loop. */
export interface LoopOptions {
  /** Address of the model server, without the path. */
  readonly url: string;
  readonly steps: number;
  /** Empty directory for the loop. */
  readonly dir: string;
  /** Called by the tool, once in each step. */
  readonly onStep: () => void;
}

/** An agent that calls the tool `note` of 200 bytes until its steps are used up. */
export type Loop = (options: LoopOptions) => Promise<void>;
