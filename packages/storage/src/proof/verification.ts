import type { EventProof, SealedEnd } from '../contract/log-proof.ts';
import type { Stored } from '../contract/log-reader.ts';
import type { Checkpoint, Cut, Statement, Tombstone } from '../contract/statement.ts';
import { digestOf, firstSeal, nextSeal, tombstoneFor } from './hash-chain.ts';
import { hasValidSignature } from './signatures.ts';
import type { IntegrityFailure, Verdict, VerifyOptions } from './verdict.ts';

/** Verifies one log from its events, which are added in order until the first failure. */
export class Verification {
  readonly #conversation: string;
  readonly #options: VerifyOptions;
  readonly #trusted: ReadonlySet<string>;
  readonly #signers: Record<string, number> = {};
  readonly #tombstones: Tombstone[] = [];
  readonly #cuts: Cut[] = [];
  #seal: string;
  #head = 0;
  #sealed = 0;
  #signedEvents = 0;
  #broken: IntegrityFailure | undefined;

  constructor(conversation: string, options: VerifyOptions) {
    this.#conversation = conversation;
    this.#options = options;
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

  /** Adds the next event with its proof; `sealedHead` is the number of events that were sealed in total. */
  add(event: Stored, proof: EventProof | undefined, sealedHead: number): void {
    const statements = proof?.statements ?? [];
    this.#checkSignatures(event.seq, statements);
    this.#checkCuts(event.seq, statements);
    this.#seal = nextSeal(this.#seal, this.#sealedDigest(event, statements));
    this.#head = event.seq + 1;
    if (proof?.seal !== undefined) this.#checkSeal(event.seq, proof.seal);
    else if (event.seq < sealedHead) this.#fail(event.seq, 'unsealed', 'has no seal although the log is sealed');
    for (const statement of statements) if (statement.kind === 'checkpoint') this.#checkCheckpoint(statement);
    const { known } = this.#options;
    if (known?.seq === event.seq && known.seal !== this.#seal) this.#failAltered(event.seq, 'the known seal');
    this.#checkRequiredSignature(event, statements);
  }

  /** Checks that no events are missing at the end, by the stored end and by the proof above the last added event. */
  end(sealed: SealedEnd | undefined, rest: readonly EventProof[]): void {
    const { known } = this.#options;
    this.#checkCuts(this.#head, rest[0]?.seq === this.#head ? rest[0].statements : []);
    const lost = rest.filter(({ seal, statements }) => seal !== undefined || statements.some(isSigned));
    const seqs = [(sealed?.head ?? 0) - 1, known?.seq ?? -1, ...lost.map(({ seq }) => seq)];
    const last = Math.max(...seqs);
    if (last >= this.#head) this.failLost(`The log had ${last + 1} events or more.`);
    else if (sealed?.head === this.#head && sealed.seal !== this.#seal)
      this.failLost('The log ended with a different event.');
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
      signers: { ...this.#signers },
      tombstones: [...this.#tombstones],
      cuts: [...this.#cuts],
      ...(broken && { broken }),
    };
  }

  #checkSignatures(seq: number, statements: readonly Statement[]): void {
    for (const statement of statements) {
      if (!isSigned(statement) || hasValidSignature(this.#conversation, statement)) continue;
      this.#fail(seq, 'signature', `has a ${statement.kind} with an invalid signature of ${statement.signer}`);
    }
  }

  #checkCuts(seq: number, statements: readonly Statement[]): void {
    const cuts = statements.filter((statement) => statement.kind === 'cut');
    const repaired = cuts.findLastIndex(({ cause }) => cause === 'repaired');
    for (const [index, statement] of cuts.entries()) {
      this.#cuts.push(statement);
      const what = `is missing: the log had ${statement.end} events and ended before it when it was opened`;
      if (statement.cause === 'found' && index > repaired) this.#fail(seq, 'lost', what);
    }
  }

  /** Returns the digest that the event was sealed with, and records the tombstone of a scrubbed event. */
  #sealedDigest(event: Stored, statements: readonly Statement[]): string {
    const digest = digestOf(event);
    const tombstone = tombstoneFor(digest, statements);
    if (!tombstone) return digest;
    this.#tombstones.push(tombstone);
    if (this.#options.trusted && !this.#trusted.has(tombstone.signer)) {
      this.#fail(event.seq, 'untrusted', `was scrubbed by ${tombstone.signer}, which is not trusted`);
    }
    return tombstone.was;
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

  #checkRequiredSignature(event: Stored, statements: readonly Statement[]): void {
    if (!this.needsSignature(event)) return;
    const isSignedBy = (one: Statement): boolean => one.kind === 'checkpoint' && this.#trusted.has(one.signer);
    if (!statements.some(isSignedBy)) this.#fail(event.seq, 'unsigned', 'has no signature of a trusted signer');
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
  return statement.kind !== 'cut';
}
