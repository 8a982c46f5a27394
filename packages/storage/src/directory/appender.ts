import { StorageError } from '../contract/error.ts';
import type { SealedEnd } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { Cut } from '../contract/statement.ts';
import { type CheckedAppend, planAppend } from '../kit/append.ts';
import { EventWriter, type EventWriterOptions } from './event-writer.ts';
import { LogGuard } from './log-guard.ts';
import { readLoss } from './read-loss.ts';
import { cutLog } from './rewrite-log.ts';

/** Runs the write operations of one log, one after the other, in the order of the calls. */
export class Appender {
  readonly #options: EventWriterOptions;
  readonly #guard: LogGuard;
  readonly #writer: EventWriter;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#guard = new LogGuard(options);
    this.#writer = new EventWriter(options, this.#guard);
  }

  /** Runs an operation after those called before it, once the lease and the log were checked. */
  async run<T>(operation: () => Promise<T>): Promise<T> {
    const done = this.#queue.then(async () => {
      this.#guard.check();
      return operation();
    });
    this.#queue = done.catch(() => undefined);
    return done;
  }

  /** Appends events. @see EventLog.append */
  async append(append: CheckedAppend): Promise<readonly number[]> {
    return this.run(async () => this.#append(append));
  }

  /** Cuts the log. @see ProofWriter.cut */
  async cut(seq: number): Promise<Cut> {
    return this.run(async () => {
      const cut = await cutLog(this.#options, seq);
      this.#guard.accept();
      return cut;
    });
  }

  /**
   * Waits for the operations called so far, then writes metadata files and seals that are out of date. Returns how much
   * of the log is sealed then.
   */
  async drain(): Promise<SealedEnd | undefined> {
    const { metaFiles, seals } = this.#options;
    await this.#queue;
    await this.#writer.write({ events: [], metadata: metaFiles.staleFiles(), isUpdate: false });
    return seals.syncedEnd();
  }

  async #append({ events, metaText, expectedHead, signer, statements }: CheckedAppend): Promise<readonly number[]> {
    const { id, index, metaFiles, seals } = this.#options;
    this.#checkRepaired();
    const find = (eventId: string): Stored | undefined => this.#find(eventId);
    const { seqs, fresh } = planAppend(events, { id, head: index.head, expectedHead, find });
    const metadata = metaText === undefined ? [] : metaFiles.filesAfter({ metaText, events: fresh });
    // Another program may have appended events without seals.
    if (fresh.length > 0 || signer) await seals.catchUp();
    await this.#writer.write({ events: fresh, signer, metadata, isUpdate: fresh.length > 0 || metaText !== undefined });
    if (signer && events.length === 0) seals.sign(signer);
    seals.addStatements(statements);
    if ((signer && index.head > 0) || statements.length > 0) await seals.sync();
    return seqs;
  }

  /** @throws {StorageError} `incomplete` for a log that was opened for repair, before it is repaired. */
  #checkRepaired(): void {
    const { purpose, lease, seals } = this.#options;
    if (purpose === 'append') return;
    const sealed = { head: seals.sealedHead, seal: undefined };
    const loss = readLoss(this.#options, { sealed, isClosed: lease.before.isClosed });
    if (loss) throw new StorageError('incomplete', loss.message);
  }

  #find(eventId: string): Stored | undefined {
    const { index } = this.#options;
    const seq = index.seqOf(eventId);
    return seq === undefined ? undefined : index.page(seq, seq + 1)[0];
  }
}
