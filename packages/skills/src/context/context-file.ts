/** A file with instructions for agents, as it is read into a prompt. */
export interface ContextFile {
  /** Absolute path under which it was found. */
  readonly path: string;
  /** `user`: the directory of the user; `repository`: the workspace, or a directory above it in the same repository. */
  readonly origin: 'user' | 'repository';
  /** Text for the prompt, with a note at its end if it was cut. */
  readonly text: string;
  /** Length of the whole file in bytes. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** A file that was found and not read. */
export interface SkippedContextFile extends Pick<ContextFile, 'path' | 'origin'> {
  /** One sentence. */
  readonly reason: string;
}
