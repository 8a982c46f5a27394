import type { BaseEvent } from '@varve/events';
import type { LogEntry } from '@varve/events/projections';
import type { Dropped } from './origins.ts';

/** Files of a foreign log: one file, or all files of a directory. The caller does the reading. */
export interface ForeignFiles {
  /** Name of the file or directory, without its parents. */
  readonly name: string;
  /** Paths below the directory, with `/`, sorted; for one file its name. */
  readonly paths: readonly string[];
  /** Returns the first characters of a file, about 4,000; empty if it cannot be read. */
  start(path: string): Promise<string>;
  /** Returns the text of a file; undefined if it is not UTF-8 or cannot be read. */
  text(path: string): Promise<string | undefined>;
  /** Returns the path of a file on this machine, for databases. Absent if the files are not on a disk. */
  location?(path: string): string;
}

/** A record that could not be read as it is. It is left out, or kept without an event; the others are read. */
export interface Problem {
  /** Place of the record: the path of its file, its line or its index. */
  readonly place: string;
  /** Reason, as a sentence that quotes nothing of the record. */
  readonly reason: string;
  /** True for a record that is an event all the same. */
  readonly isRead?: true;
}

/** Result of checking the signatures of a log. A valid one proves which key signed, and not that it is trusted. */
export interface SignatureReport {
  /** Number of events with a valid signature. */
  readonly valid: number;
  /** Keys of the valid signatures: `did:key:z6Mk…`. */
  readonly signers: readonly string[];
  /** Events whose signatures are not valid; they are read all the same. */
  readonly problems: readonly Problem[];
}

/** A foreign log as events of varve. They are history: nothing in them may run or approve anything. */
export interface ForeignLog {
  /** Id of the conversation in the other system, as it was found. */
  readonly id?: string;
  readonly title?: string;
  /** Events in order, with their exact texts. */
  readonly entries: readonly LogEntry[];
  readonly problems: readonly Problem[];
  /** Content that no event can hold. */
  readonly dropped: readonly Dropped[];
  /** Signatures of the log; absent for one without. */
  readonly signatures?: SignatureReport;
  /** Logs inside of this one, such as those of delegates. */
  readonly children: readonly ForeignLog[];
}

/** Options of reading. */
export interface ReadOptions {
  /** Returns a new event id: a UUID. */
  readonly newId: () => string;
  /** Keys (`did:key:…`), one of which must have signed each event of an agent; for formats with `hasSignatures`. */
  readonly trusted?: readonly string[];
}

/** A log to write. */
export interface WrittenLog {
  /** Id of the conversation. */
  readonly id: string;
  readonly title?: string;
  /** Events of one branch in order, as `activeBranch` returns them. */
  readonly events: readonly BaseEvent[];
  /** Signs what a format can have signed; `ed25519Signer` of `@varve/storage` returns one. */
  readonly signer?: { readonly did: string; sign(bytes: Uint8Array): Uint8Array };
}

/** A written file. */
export interface OutputFile {
  /** Path below a directory; empty for a format of one file. */
  readonly path: string;
  readonly text: string;
}

/** Result of writing. */
export interface Output {
  readonly files: readonly OutputFile[];
  readonly dropped: readonly Dropped[];
}

/** Format of another system. `formats` lists them all. */
export interface LogFormat {
  /** Name in commands, such as `v0`. */
  readonly name: string;
  /** True if events of the format can be signed: `read` checks signatures, and `write` uses the signer of the log. */
  readonly hasSignatures?: true;
  /** Returns true if the files look like this format; reads as little as possible. */
  matches?(files: ForeignFiles): Promise<boolean>;
  /**
   * Reads the logs of a file or directory.
   *
   * @throws {InteropError} `invalid` when nothing in it can be read, or the trusted keys did not sign it; `unsupported`
   * for a log that is too large or nested too deeply.
   */
  read?(files: ForeignFiles, options: ReadOptions): Promise<readonly ForeignLog[]>;
  /** Writes a log. @throws {InteropError} `unsupported` for one that is too large or nested too deeply. */
  write?(log: WrittenLog): Output;
}
