/** What a loop is measured with. */
export interface LoopOptions {
  /** Of the model server, without the path. */
  readonly url: string;
  readonly steps: number;
  /** A directory of its own. */
  readonly dir: string;
  /** Called by the tool, once in each step. */
  readonly onStep: () => void;
}

/** An agent that calls the tool `note` of 200 bytes until its steps are used up. */
export type Loop = (options: LoopOptions) => Promise<void>;
