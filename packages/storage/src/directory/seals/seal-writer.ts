import { setImmediate } from 'node:timers/promises';
import { errnoOf } from '@varve/files';
import { StorageError } from '../../contract/error.ts';
import type { SealedEnd, SealedOnce } from '../../contract/log-proof.ts';
import type { Cut, Signer, Statement, Unsealed } from '../../contract/statement.ts';
import type { PlannedEvent } from '../../kit/append.ts';
import { firstSeal } from '../../proof/hash-chain.ts';
import { type SealedEvent, sealEvents } from '../../proof/seal-events.ts';
import { signCheckpoint } from '../../proof/signatures.ts';
import type { EventIndex } from '../layout/event-index.ts';
import type { Files } from '../layout/files.ts';
import type { Paths } from '../layout/paths.ts';
import { parseSealLines, sealedPart, type SealLine, sealLinesText, sealsHeader } from './seal-lines.ts';

/** Options of `SealWriter`. */
export interface SealWriterOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly index: Pick<EventIndex, 'head' | 'page' | 'rescanIfChanged'>;
  /** End of the sealed events at an earlier time, by records apart from the seals. */
  readonly sealedOnce: SealedOnce | undefined;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Appends the seals of one log to `.varve/seals.jsonl`, for the lease holder. An event is written before its seal:
 * events that a crash or another program leaves unsealed are sealed when the log is opened or written next, and that is
 * recorded. A holder whose lease was taken over therefore adds only lines that its successor would add too.
 */
export class SealWriter {
  readonly #options: SealWriterOptions;
  #sealedOnce: SealedOnce | undefined;
  #head = 0;
  #seal: string;
  /** True if the file has another seal than the one that `sealedOnce` names. */
  #isReplaced = false;
  /** First event without a seal in the file, although a later one has one; infinite if there is none. */
  #gap = Infinity;
  /** Lines that could not be written yet. */
  #unwritten = '';
  #isRead = false;
  #isSynced = false;
  /** True once the name of the file is on the disk. */
  #isNamed = false;

  constructor(options: SealWriterOptions) {
    this.#options = options;
    this.#sealedOnce = options.sealedOnce;
    this.#seal = firstSeal(options.id);
  }

  /** Number of events that were sealed, at any time. */
  get sealedHead(): number {
    this.#read();
    return Math.max(this.#head, this.#sealedOnce?.head ?? 0);
  }

  /**
   * Seals the events of the log that have no seal in the file, and records that.
   *
   * @throws {StorageError} `incomplete` if the log has fewer events than seals; `unsealed` if seals were lost.
   */
  async catchUp(): Promise<void> {
    const { id, index, now } = this.#options;
    this.#checkLength();
    const lost = this.#describeLost();
    if (lost !== undefined) throw new StorageError('unsealed', `${lost} of conversation ${id}.`);
    if (this.#head >= index.head) return;
    this.#write([{ kind: 'unsealed', seq: this.#head, end: index.head, cause: 'found', at: now() }]);
    await this.#sealRest();
    // A file whose beginning is lost counts as one that lost its seals.
    if (!this.#isNamed) await this.sync();
  }

  /** Seals events that were just written. If the disk fails, the seals are written with the next ones. */
  add(events: readonly PlannedEvent[], signer?: Signer): void {
    const { id: conversation, now } = this.#options;
    // Events of another program came before these; `catchUp` seals all of them.
    if (events[0]?.seq !== this.#head) return;
    const { seals, checkpoints, last } = sealEvents(events, { conversation, previous: this.#seal, signer, at: now() });
    this.#head += events.length;
    this.#seal = last;
    this.#write([...checkpoints, ...seals]);
  }

  /** Adds statements, for instance of the log that this one is a copy of. */
  addStatements(statements: readonly Statement[]): void {
    if (statements.length > 0) this.#write(statements);
  }

  /** Revokes the seals from event `seq` on, where the log ends now, and records a cut. */
  cut(seq: number, end: number): Cut {
    const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at: this.#options.now() };
    this.#read();
    this.#truncateTo(seq);
    if (this.#gap >= seq) this.#gap = Infinity;
    this.#write([cut, { void: seq }]);
    if ((this.#sealedOnce?.head ?? 0) > seq) this.#sealedOnce = { head: seq, seal: undefined };
    return cut;
  }

  /** Seals the events that lost their seals, as they are now. @see ProofWriter.acceptUnsealed */
  async accept(): Promise<Unsealed | undefined> {
    const { files, paths, index, now } = this.#options;
    this.#checkLength();
    const { last, gap } = sealedPart(files.read(paths.seals)?.toString() ?? '');
    const lost = gap ?? (last?.seq ?? -1) + 1;
    if (!this.#isReplaced && lost >= index.head) return undefined;
    this.#truncateTo(this.#isReplaced ? 0 : lost);
    const seq = this.#head;
    const accepted: Unsealed = { kind: 'unsealed', seq, end: index.head, cause: 'accepted', at: now() };
    this.#write([accepted, { void: seq }]);
    this.#sealedOnce = undefined;
    this.#isReplaced = false;
    this.#gap = Infinity;
    await this.#sealRest();
    await this.sync();
    return accepted;
  }

  /** Signs the last seal. */
  sign(signer: Signer): void {
    const { id: conversation, now } = this.#options;
    if (this.#head === 0) return;
    this.#write([signCheckpoint({ conversation, seq: this.#head - 1, seal: this.#seal, at: now() }, signer)]);
  }

  /** Resolves when all lines are on the disk. */
  async sync(): Promise<void> {
    const { files, paths } = this.#options;
    this.flush();
    if (!this.#isSynced) await files.fsync(paths.seals);
    this.#isSynced = true;
    if (!this.#isNamed) await files.fsync(paths.own);
    this.#isNamed = true;
  }

  /** Writes the lines that could not be written before. */
  flush(): void {
    const { files, paths } = this.#options;
    if (this.#unwritten === '') return;
    this.#isSynced = false;
    files.append(paths.seals, this.#unwritten);
    this.#unwritten = '';
  }

  /** Returns the last seal once all lines are on the disk; `undefined` if an event is unsealed. */
  async syncedEnd(): Promise<SealedEnd | undefined> {
    this.#read();
    const { index } = this.#options;
    if (this.#head !== index.head || this.#describeLost() !== undefined) return undefined;
    if (this.#head > 0) await this.sync();
    return { head: this.#head, seal: this.#seal };
  }

  /** @throws {StorageError} `incomplete`. */
  #checkLength(): void {
    const { id, index } = this.#options;
    // Seals are written after their events, so events are lost only if a scan after reading the seals does not find
    // them.
    if (this.sealedHead > index.head) index.rescanIfChanged();
    if (this.sealedHead <= index.head) return;
    const message = `Conversation ${id} has ${index.head} of ${this.sealedHead} sealed events.`;
    throw new StorageError('incomplete', message);
  }

  /** Returns the beginning of a sentence about events that were sealed and are not now, or have other seals. */
  #describeLost(): string | undefined {
    const { head = 0 } = this.#sealedOnce ?? {};
    const [gap, end] = [Math.min(this.#gap, this.#head), Math.max(this.#head, head)];
    if (gap < end) return `The seals of events ${gap} to ${end - 1} are missing in the proof`;
    return this.#isReplaced ? `The seals of events 0 to ${head - 1} were replaced in the proof` : undefined;
  }

  async #sealRest(): Promise<void> {
    const { index } = this.#options;
    while (this.#head < index.head) {
      const page = index.page(this.#head, index.head);
      // Another program removed events; the next scan finds that.
      if (page.length === 0) return;
      this.add(page);
      await setImmediate();
    }
  }

  #write(lines: readonly SealLine[]): void {
    this.#unwritten += sealLinesText(lines);
    try {
      this.flush();
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // A partial line may have been written.
      if (!this.#unwritten.startsWith('\n')) this.#unwritten = `\n${this.#unwritten}`;
    }
  }

  #read(): void {
    if (this.#isRead) return;
    const { files, paths } = this.#options;
    const text = files.read(paths.seals)?.toString() ?? '';
    const { last, gap = Infinity } = sealedPart(text);
    if (text === '') this.#unwritten = sealsHeader;
    else if (!text.endsWith('\n')) this.#unwritten = '\n';
    this.#head = last ? last.seq + 1 : 0;
    this.#seal = last?.seal ?? this.#seal;
    this.#isReplaced = this.#hasOtherSeal(text, last);
    this.#gap = gap;
    this.#isRead = true;
  }

  /** Returns true if the seal that was recorded apart from the file is not the one that counts in it. */
  #hasOtherSeal(text: string, last: SealedEvent | undefined): boolean {
    const { head = 0, seal } = this.#sealedOnce ?? {};
    if (head === 0 || seal === undefined || this.#head < head) return false;
    if (last?.seq === head - 1) return last.seal !== seal;
    return parseSealLines(text).events.find(({ seq }) => seq === head - 1)?.seal !== seal;
  }

  /** Continues after the first `head` events. */
  #truncateTo(head: number): void {
    const { id, files, paths } = this.#options;
    const { events } = parseSealLines(files.read(paths.seals)?.toString() ?? '');
    const seal = events.find(({ seq }) => seq === head - 1)?.seal;
    // Without a seal at this point all seals are computed again; those in the file still take precedence.
    this.#head = seal === undefined ? 0 : head;
    this.#seal = seal ?? firstSeal(id);
  }
}
