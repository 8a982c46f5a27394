import { setImmediate } from 'node:timers/promises';
import type { EventProof } from '../contract/log-proof.ts';
import type { Cut, Signer, Statement } from '../contract/statement.ts';
import { errnoOf } from '../kit/errno-of.ts';
import type { PlannedEvent } from '../kit/append.ts';
import { firstSeal, isSha256Hex } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { type SealedEvent, sealEvents } from '../proof/seal-events.ts';
import { signCheckpoint } from '../proof/signatures.ts';
import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import { parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

/** A line of `.varve/seals.jsonl`. */
export type SealLine = SealedEvent | Statement | { readonly void: number };

/** What the file says, in order of seq. */
export interface StoredProof {
  readonly events: readonly EventProof[];
  /** The last seal; nothing when there is none. */
  readonly last: SealedEvent | undefined;
}

/** Writes lines. */
export function sealLinesText(lines: readonly SealLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Reads the last line of the file, when that is a seal: then it is the last seal. */
export function lastSealOf(text: string): SealedEvent | undefined {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  return text.endsWith('\n') ? sealOf(parseRecord(text.slice(start))) : undefined;
}

/**
 * Reads the file. Lines that a crash tore, and others that say nothing, are passed over. `void` ends what lines before
 * it say of this event and of those after, but for cuts; of two seals of one event the first counts.
 */
export function parseSealLines(text: string): StoredProof {
  const seals = new Map<number, string>();
  let statements: Statement[] = [];
  for (const line of text.split('\n')) {
    const record = line === '' ? undefined : parseRecord(line);
    const sealed = sealOf(record);
    const statement = parseStatement(record);
    if (sealed && !seals.has(sealed.seq)) seals.set(sealed.seq, sealed.seal);
    const end = record?.['void'];
    if (typeof end === 'number') {
      for (const seq of seals.keys()) if (seq >= end) seals.delete(seq);
      statements = statements.filter((other) => other.seq < end || other.kind === 'cut');
    }
    if (statement) statements.push(statement);
  }
  const sealed = [...seals].map(([seq, seal]) => ({ seq, seal }));
  const events = mergeProof(sealed, statements);
  const last = events.findLast((event) => event.seal !== undefined);
  return { events, last: last?.seal === undefined ? undefined : { seq: last.seq, seal: last.seal } };
}

function sealOf(record: Readonly<Record<string, unknown>> | undefined): SealedEvent | undefined {
  const { seq, seal, kind } = record ?? {};
  const isPlace = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  return kind === undefined && isPlace && isSha256Hex(seal) ? { seq, seal } : undefined;
}

/** Whose seals are kept. */
export interface SealWriterOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly index: Pick<EventIndex, 'head' | 'page' | 'rescanIfChanged'>;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Adds the seals of one log to `.varve/seals.jsonl`, for the holder of its lease. An event comes first and its seal
 * after: what a crash, or a foreign writer, leaves without a seal is sealed when the log is opened or written next. So a
 * holder that was taken over adds nothing here that its successor would not.
 */
export class SealWriter {
  readonly #options: SealWriterOptions;
  #head = 0;
  #seal: string;
  /** Lines that the disk did not take. */
  #unwritten = '';
  #isRead = false;
  /** Whether the name of the file is on the disk. */
  #isNamed = false;

  constructor(options: SealWriterOptions) {
    this.#options = options;
    this.#seal = firstSeal(options.id);
  }

  /** Seals what the log has and the file has not. */
  async catchUp(): Promise<void> {
    const { index, now } = this.#options;
    if (!this.#isRead) this.#read();
    // A seal comes after its event: only a look at the events that comes after the one at the seals shows that any are lost.
    if (this.#head > index.head) index.rescanIfChanged();
    if (this.#head > index.head) {
      const end = this.#head;
      this.#truncateTo(index.head);
      // The cut comes first: torn between the two, the file still says that there was more.
      this.#write([{ kind: 'cut', seq: index.head, end, cause: 'found', at: now() }, { void: index.head }]);
    }
    while (this.#head < index.head) {
      const page = index.page(this.#head, index.head);
      if (page.length === 0) return; // A foreign writer took something away; the next look tells.
      this.add(page);
      await setImmediate();
    }
  }

  /** Seals events that were just put into the log. What the disk does not take is written with the next ones. */
  add(events: readonly PlannedEvent[], signer?: Signer): void {
    const { id: conversation, now } = this.#options;
    // Those of a foreign writer come between: `catchUp` seals all of them.
    if (events[0]?.seq !== this.#head) return;
    const { seals, checkpoints, last } = sealEvents(events, { conversation, previous: this.#seal, signer, at: now() });
    this.#head += events.length;
    this.#seal = last;
    // A seal comes last, so that opening the log reads one line.
    this.#write([...checkpoints, ...seals]);
  }

  /** Adds what somebody stated elsewhere. */
  addStatements(statements: readonly Statement[]): void {
    if (statements.length > 0) this.#write(statements);
  }

  /** Ends the seals before event `seq`, where the log ends by now, and says so. */
  cut(seq: number, end: number): Cut {
    const cut: Cut = { kind: 'cut', seq, end, cause: 'repaired', at: this.#options.now() };
    this.#truncateTo(seq);
    this.#write([cut, { void: seq }]);
    return cut;
  }

  /** Signs the last seal. */
  sign(signer: Signer): void {
    const { id: conversation, now } = this.#options;
    if (this.#head === 0) return;
    this.#write([signCheckpoint({ conversation, seq: this.#head - 1, seal: this.#seal, at: now() }, signer)]);
  }

  /** Resolves when all is on the disk that was written. */
  async sync(): Promise<void> {
    const { files, paths } = this.#options;
    this.flush();
    await files.fsync(paths.seals);
    if (!this.#isNamed) await files.fsync(paths.own);
    this.#isNamed = true;
  }

  /** Writes what is not written. */
  flush(): void {
    const { files, paths } = this.#options;
    if (this.#unwritten === '') return;
    files.append(paths.seals, this.#unwritten);
    this.#unwritten = '';
  }

  #write(lines: readonly SealLine[]): void {
    this.#unwritten += sealLinesText(lines);
    try {
      this.flush();
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      // What was written may be half a line.
      if (!this.#unwritten.startsWith('\n')) this.#unwritten = `\n${this.#unwritten}`;
    }
  }

  #read(): void {
    const { files, paths } = this.#options;
    const text = files.read(paths.seals)?.toString() ?? '';
    // Zeros are what a power failure leaves of blocks that it lost: the seals in them are made again.
    const last = text.includes('\0') ? lastBeforeGap(text) : (lastSealOf(text) ?? parseSealLines(text).last);
    if (text !== '' && !text.endsWith('\n')) this.#unwritten = '\n';
    this.#head = last ? last.seq + 1 : 0;
    this.#seal = last?.seal ?? this.#seal;
    this.#isRead = true;
  }

  /** Goes on after the first `head` events. */
  #truncateTo(head: number): void {
    const { id, files, paths } = this.#options;
    const { events } = parseSealLines(files.read(paths.seals)?.toString() ?? '');
    const seal = events.find(({ seq }) => seq === head - 1)?.seal;
    // Without a seal to go on from, all are made again; those that are kept count all the same.
    this.#head = seal === undefined ? 0 : head;
    this.#seal = seal ?? firstSeal(id);
  }
}

/** The seal of the last event before the first one without. */
function lastBeforeGap(text: string): SealedEvent | undefined {
  const sealed = parseSealLines(text).events.filter(({ seal }) => seal !== undefined);
  const { seq, seal } = sealed.findLast((event, index) => event.seq === index) ?? {};
  return seq === undefined || seal === undefined ? undefined : { seq, seal };
}
