import type { EventProof, SealedOnce } from '../contract/log-proof.ts';
import type { LogLoss } from '../contract/loss.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { Checkpoint, Cut, Statement, Tombstone, Unsealed } from '../contract/statement.ts';
import { digestOf, firstSeal, nextSeal, tombstonesFor } from './hash-chain.ts';
import { hasValidSignature } from './signatures.ts';
import type { SeqRange, IntegrityFailure, Proven, Verdict, VerifyOptions } from './verdict.ts';

/** Verifies one log from its events, which are added in order until the first failure. */
export class Verification {
  readonly #conversation: string;
  readonly #options: VerifyOptions;
  /** Ends of the log at earlier times, as recorded next to the seals. */
  readonly #ends: readonly SealedOnce[];
  readonly #trusted: ReadonlySet<string>;
  readonly #signers: Record<string, number> = {};
  readonly #tombstones: Tombstone[] = [];
  readonly #cuts: Cut[] = [];
  readonly #unsealed = new Map<number, Unsealed>();
  #seal: string;
  #head = 0;
  #sealed = 0;
  #signedEvents = 0;
  #knownEvents = 0;
  /** Ranges of events that no trusted key signed before it signed a later one; the last may not be signed yet. */
  readonly #signedLater: SeqRange[] = [];
  /** True if the last event that was added is a recorded end with another seal. */
  #isOtherEnd = false;
  #broken: IntegrityFailure | undefined;

  constructor(conversation: string, options: VerifyOptions, ends: readonly SealedOnce[]) {
    this.#conversation = conversation;
    this.#options = options;
    this.#ends = ends;
    this.#trusted = new Set(options.trusted);
    this.#seal = firstSeal(conversation);
  }

  /** Number of events that were added. */
  get head(): number {
    return this.#head;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Returns true if the event needs a trusted signature of its own. */
  needsSignature(event: Stored): boolean {
    return this.#options.mustBeSigned?.(event) ?? false;
  }

  /** Adds the next event with its proof. */
  add(event: Stored, proof: EventProof | undefined): void {
    const { seq } = event;
    const statements = proof?.statements ?? [];
    if (this.#isOtherEnd) this.#failAltered(seq - 1, 'the seal that was recorded apart from it');
    this.#checkSignatures(seq, statements);
    this.#addRecords(seq, statements);
    this.#seal = nextSeal(this.#seal, this.#sealedDigest(event, statements));
    this.#head = seq + 1;
    if (proof?.seal !== undefined) this.#checkSeal(seq, proof.seal);
    else if (this.#ends.some(({ head }) => seq < head)) this.#fail(seq, 'unsealed', 'has no seal although it had one');
    for (const statement of statements) if (statement.kind === 'checkpoint') this.#checkCheckpoint(statement);
    if (this.#signedEvents < this.#head) this.#addUnsigned(seq);
    const ends = this.#ends.filter(({ head, seal }) => head === this.#head && seal !== undefined);
    this.#isOtherEnd = ends.some(({ seal }) => seal !== this.#seal);
    this.#checkKnown(seq);
    this.#checkRequiredSignature(event, statements);
  }

  /** Checks that no events are missing at the end, by the recorded ends and the proof above the last added event. */
  end(rest: readonly EventProof[]): void {
    const { known } = this.#options;
    this.#addRecords(this.#head, rest[0]?.seq === this.#head ? rest[0].statements : []);
    const lost = rest.filter(({ seal, statements }) => seal !== undefined || statements.some(isSigned));
    const seqs = [...this.#ends.map(({ head }) => head - 1), known?.seq ?? -1, ...lost.map(({ seq }) => seq)];
    const total = seqs.reduce((a, b) => Math.max(a, b)) + 1;
    if (total > this.#head) this.failLost(`${total - this.#head} of ${total} sealed events are missing.`);
    if (this.#isOtherEnd) this.failLost('The log does not end with the seal that was recorded for its end.');
    // A log without events has a head too.
    if (known && this.#knownEvents === 0 && known.seal !== firstSeal(this.#conversation)) {
      const message = `No event of conversation ${this.#conversation} has the known seal.`;
      this.#broken ??= { seq: 0, reason: 'unknown', message };
    }
    this.#checkRequirements();
  }

  /** Records a loss that the store found. */
  addLoss(loss: LogLoss | undefined): void {
    if (loss) this.#broken ??= { seq: loss.seq, reason: 'lost', message: loss.message };
  }

  /** Records that events are missing after the last one that was added. */
  failLost(message: string): void {
    this.#broken ??= { seq: this.#head, reason: 'lost', message };
  }

  verdict(): Verdict {
    const broken = this.#broken;
    return {
      conversation: this.#conversation,
      head: this.#head,
      sealed: this.#sealed,
      seal: this.#seal,
      signedEvents: this.#signedEvents,
      signedLater: this.#signedLater.filter(({ seq }) => seq < this.#signedEvents),
      knownEvents: this.#knownEvents,
      proven: this.#proven(),
      signers: { ...this.#signers },
      tombstones: [...this.#tombstones],
      cuts: [...this.#cuts],
      unsealed: [...this.#unsealed.values()],
      ...(broken && { broken }),
    };
  }

  #proven(): Proven {
    // Signatures and a known seal are compared with the computed seals, and prove as much without stored ones.
    const events = this.#broken ? 0 : Math.max(this.#signedEvents, this.#knownEvents);
    if (events > 0) {
      return { excludes: 'forgery', by: this.#signedEvents === events ? 'trusted-key' : 'known-seal', events };
    }
    if (this.#broken || this.#sealed === 0) return { excludes: 'nothing', by: 'nothing', events: 0 };
    return { excludes: 'careless-edits', by: 'seals', events: this.#sealed };
  }

  #checkSignatures(seq: number, statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (!isSigned(statement) || hasValidSignature(this.#conversation, statement)) continue;
      this.#fail(seq, 'signature', `has a ${statement.kind} with an invalid signature of ${statement.signer}`);
    }
  }

  /** Adds the cuts and the late seals that are recorded for an event, or for the end of the log. */
  #addRecords(seq: number, statements: readonly Statement[]): void {
    const cuts = statements.filter((statement) => statement.kind === 'cut');
    const repaired = cuts.findLastIndex(({ cause }) => cause === 'repaired');
    for (const [index, statement] of cuts.entries()) {
      this.#cuts.push(statement);
      const what = `is missing: the log had ${statement.end} events and ended before it when it was opened`;
      if (statement.cause === 'found' && index > repaired) this.#fail(seq, 'lost', what);
    }
    for (const statement of statements) if (statement.kind === 'unsealed') this.#unsealed.set(seq, statement);
  }

  /** Returns the digest that the event was sealed with, and records the tombstones of a scrubbed event. */
  #sealedDigest(event: Stored, statements: readonly Statement[]): string {
    const digest = digestOf(event);
    const tombstones = tombstonesFor(digest, statements);
    for (const tombstone of tombstones) {
      this.#tombstones.push(tombstone);
      if (this.#options.trusted) this.#checkTombstone(tombstone);
    }
    return tombstones.at(-1)?.was ?? digest;
  }

  #checkTombstone({ seq, signer }: Tombstone): void {
    if (!this.#trusted.has(signer)) this.#fail(seq, 'untrusted', `was scrubbed by ${signer}, which is not trusted`);
  }

  #checkSeal(seq: number, seal: string): void {
    if (seal !== this.#seal) this.#failAltered(seq, 'its seal');
    else if (this.#sealed === seq && !this.#broken) this.#sealed = seq + 1;
  }

  #checkCheckpoint({ seq, seal, signer }: Checkpoint): void {
    if (seal !== this.#seal) {
      this.#failAltered(seq, `a checkpoint of ${signer}`);
      return;
    }
    if (this.#broken) return;
    this.#signers[signer] = (this.#signers[signer] ?? 0) + 1;
    if (this.#trusted.has(signer)) this.#signedEvents = seq + 1;
  }

  #addUnsigned(seq: number): void {
    const last = this.#signedLater.at(-1);
    if (last?.end === seq) this.#signedLater.splice(-1, 1, { seq: last.seq, end: seq + 1 });
    else this.#signedLater.push({ seq, end: seq + 1 });
  }

  /** A seal covers the digests before a scrub, so a tombstone before the known seal counts only if it is trusted. */
  #checkKnown(seq: number): void {
    const { known } = this.#options;
    if (!known) return;
    const isKnown = known.seal === this.#seal;
    if (known.seq === seq && !isKnown) this.#failAltered(seq, 'the known seal');
    if (!isKnown || (known.seq ?? seq) !== seq) return;
    for (const tombstone of this.#tombstones) this.#checkTombstone(tombstone);
    this.#knownEvents = seq + 1;
  }

  #checkRequiredSignature(event: Stored, statements: readonly Statement[]): void {
    if (!this.needsSignature(event)) return;
    const isSignedBy = (statement: Statement): boolean =>
      statement.kind === 'checkpoint' && this.#trusted.has(statement.signer);
    if (!statements.some(isSignedBy)) this.#fail(event.seq, 'unsigned', 'has no signature of a trusted signer');
  }

  /** Checks what the options require of the whole log. */
  #checkRequirements(): void {
    const { requireSigned, requireSeals } = this.#options;
    const late = [...this.#unsealed.values()].find(({ cause }) => cause !== 'accepted');
    if (requireSeals && late) this.#fail(late.seq, 'unsealed', 'was sealed later than it was appended');
    if (requireSeals && this.#sealed < this.#head) this.#fail(this.#sealed, 'unsealed', 'has no seal');
    if (!requireSigned || (this.#signedEvents === this.#head && this.#head > 0)) return;
    const message =
      this.#signedEvents === 0
        ? `No event of conversation ${this.#conversation} is signed by a trusted key.`
        : `The events of conversation ${this.#conversation} from ${this.#signedEvents} on are not signed by a trusted key.`;
    this.#broken ??= { seq: this.#signedEvents, reason: 'unsigned', message };
  }

  #failAltered(seq: number, what: string): void {
    const message = `Event ${seq} of conversation ${this.#conversation}, or one before it, does not match ${what}.`;
    this.#broken ??= { seq, reason: 'altered', message };
  }

  #fail(seq: number, reason: IntegrityFailure['reason'], what: string): void {
    this.#broken ??= { seq, reason, message: `Event ${seq} of conversation ${this.#conversation} ${what}.` };
  }
}

function isSigned(statement: Statement): statement is Checkpoint | Tombstone {
  return statement.kind === 'checkpoint' || statement.kind === 'tombstone';
}
