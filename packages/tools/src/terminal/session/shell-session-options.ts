import type { Redactor } from '@varve/text';
import type { ProgramSandbox } from '../../processes/program-sandbox.ts';
import type { OutputBuffer } from '../output/output-buffer.ts';
import type { ShellBackend } from './shell-process.ts';

/** Options of {@link ShellSession.start}. */
export interface ShellSessionOptions {
  readonly backend: ShellBackend;
  readonly shell: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Variables by which the programs of the shell are found. */
  readonly marks?: Readonly<Record<string, string>>;
  /** Walls around the shell. Default: none. */
  readonly sandbox?: ProgramSandbox;
  /** Initial directory of the shell. */
  readonly directory: string;
  /** Directory for the files of the session; readable by this user only and used by this session only. */
  readonly privateDirectory: string;
  /** Exports of another session, as bash code, which the shell loads on top of `environment`. */
  readonly state?: string;
  /** Receives the process id as soon as the process exists. Must not throw. */
  readonly onStart?: (pid: number) => void;
  readonly output: OutputBuffer;
  /** Applied to output before it is buffered or saved. */
  readonly redactor: Pick<Redactor, 'stream'>;
}

/**
 * State of a shell. `finished`: the command has ended, and its end is not acknowledged yet. `unusable`: the shell did
 * not start the command and does not answer. `ended`: the shell has ended.
 */
export type ShellStatus = 'starting' | 'idle' | 'running' | 'finished' | 'unusable' | 'ended';
