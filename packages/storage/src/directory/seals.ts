import { setImmediate } from 'node:timers/promises';
import type { EventProof } from '../contract/log-proof.ts';
import type { Cut, Signer, Statement } from '../contract/statement.ts';
import type { PlannedEvent } from '../kit/append.ts';
import { errnoOf } from '../kit/disk-error.ts';
import { firstSeal, isSha256Hex } from '../proof/hash-chain.ts';
import { parseStatement } from '../proof/parse-statement.ts';
import { mergeProof } from '../proof/proof-pages.ts';
import { type SealedEvent, sealEvents } from '../proof/seal-events.ts';
import { signCheckpoint } from '../proof/signatures.ts';
import type { EventIndex } from './event-index.ts';
import type { Files } from './files.ts';
import { parseRecord } from './json-record.ts';
import type { Paths } from './paths.ts';

/** Line of `.varve/seals.jsonl`. `void` revokes earlier lines for this seq and all after it. */
export type SealLine = SealedEvent | Statement | { readonly void: number };

/** Parsed contents of the file. */
export interface StoredProof {
  /** In order of seq. */
  readonly events: readonly EventProof[];
  /** Last seal; absent before the first one. */
  readonly last: SealedEvent | undefined;
}

/** Formats lines. */
export function sealLinesText(lines: readonly SealLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Returns the last seal if it is the last line of the file; otherwise the whole file has to be parsed. */
export function lastSealOf(text: string): SealedEvent | undefined {
  const start = text.lastIndexOf('\n', text.length - 2) + 1;
  return text.endsWith('\n') ? sealOf(parseRecord(text.slice(start))) : undefined;
}

/**
 * Parses the file. Ignores torn and other invalid lines. A `void` line revokes the seals and statements of its seq and
 * all after it in earlier lines, except for cuts. Of two seals of one event, the first counts.
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
  const isSeq = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  return kind === undefined && isSeq && isSha256Hex(seal) ? { seq, seal } : undefined;
}

/** Options of `SealWriter`. */
export interface SealWriterOptions {
  readonly id: string;
  readonly files: Files;
  readonly paths: Paths;
  readonly index: Pick<EventIndex, 'head' | 'page' | 'rescanIfChanged'>;
  /** UTC milliseconds. */
  readonly now: () => number;
}

/**
 * Appends the seals of one log to `.varve/seals.jsonl`, for the lease holder. An event is written before its seal:
 * events that a crash or another program leaves unsealed are sealed when the log is opened or written next. A holder
 * whose lease was taken over therefore adds only lines that its successor would add too.
 */
export class SealWriter {
  readonly #options: SealWriterOptions;
  #head = 0;
  #seal: string;
  /** Lines that could not be written yet. */
  #unwritten = '';
  #isRead = false;
  /** True once the name of the file is on the disk. */
  #isNamed = false;

  constructor(options: SealWriterOptions) {
    this.#options = options;
    this.#seal = firstSeal(options.id);
  }

  /** Seals the events of the log that have no seal in the file, and records a cut if the log lost sealed events. */
  async catchUp(): Promise<void> {
    const { index, now } = this.#options;
    if (!this.#isRead) this.#read();
    // Seals are written after their events, so events are lost only if a scan after reading the seals does not find
    // them.
    if (this.#head > index.head) index.rescanIfChanged();
    if (this.#head > index.head) {
      const end = this.#head;
      this.#truncateTo(index.head);
      // The cut is written first: if a crash tears the two lines apart, the file still records that events were lost.
      this.#write([{ kind: 'cut', seq: index.head, end, cause: 'found', at: now() }, { void: index.head }]);
    }
    while (this.#head < index.head) {
      const page = index.page(this.#head, index.head);
      // Another program removed events; the next scan finds that.
      if (page.length === 0) return;
      this.add(page);
      await setImmediate();
    }
  }

  /** Seals events that were just written. If the disk fails, the seals are written with the next ones. */
  add(events: readonly PlannedEvent[], signer?: Signer): void {
    const { id: conversation, now } = this.#options;
    // Events of another program came before these; `catchUp` seals all of them.
    if (events[0]?.seq !== this.#head) return;
    const { seals, checkpoints, last } = sealEvents(events, { conversation, previous: this.#seal, signer, at: now() });
    this.#head += events.length;
    this.#seal = last;
    // The last line is a seal, so that opening the log parses one line.
    this.#write([...checkpoints, ...seals]);
  }

  /** Adds statements, for instance of the log that this one is a copy of. */
  addStatements(statements: readonly Statement[]): void {
    if (statements.length > 0) this.#write(statements);
  }

  /** Revokes the seals from event `seq` on, where the log ends now, and records a cut. */
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

  /** Resolves when all lines are on the disk. */
  async sync(): Promise<void> {
    const { files, paths } = this.#options;
    this.flush();
    await files.fsync(paths.seals);
    if (!this.#isNamed) await files.fsync(paths.own);
    this.#isNamed = true;
  }

  /** Writes the lines that could not be written before. */
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
      // A partial line may have been written.
      if (!this.#unwritten.startsWith('\n')) this.#unwritten = `\n${this.#unwritten}`;
    }
  }

  #read(): void {
    const { files, paths } = this.#options;
    const text = files.read(paths.seals)?.toString() ?? '';
    // A power failure leaves zeros in lost blocks; the seals in them are computed again.
    const last = text.includes('\0') ? lastBeforeGap(text) : (lastSealOf(text) ?? parseSealLines(text).last);
    if (text !== '' && !text.endsWith('\n')) this.#unwritten = '\n';
    this.#head = last ? last.seq + 1 : 0;
    this.#seal = last?.seal ?? this.#seal;
    this.#isRead = true;
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

/** Returns the seal of the last event before the first one without a seal. */
function lastBeforeGap(text: string): SealedEvent | undefined {
  const sealed = parseSealLines(text).events.filter(({ seal }) => seal !== undefined);
  const { seq, seal } = sealed.findLast((event, index) => event.seq === index) ?? {};
  return seq === undefined || seal === undefined ? undefined : { seq, seal };
}
