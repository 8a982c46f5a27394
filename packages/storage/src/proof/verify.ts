import { setTimeout } from 'node:timers/promises';
import { StorageError } from '../contract/error.ts';
import type { EventProof, LogProof } from '../contract/log-proof.ts';
import type { LogReader } from '../contract/log-reader.ts';
import { isPublicKey } from './did-key.ts';
import { isSha256Hex } from './hash-chain.ts';
import { proofCursor } from './proof-pages.ts';
import type { Verdict, VerifyOptions } from './verdict.ts';
import { Verification } from './verification.ts';

/** Number of reads of a missing seal, and milliseconds between two of them. */
const pendingTries = 20;
const pendingMs = 50;

/**
 * Recomputes every seal of a log from its events and compares it with the stored seal, with checkpoints and with
 * `known`. Reports a loss that the store can see, also in a log without seals. Stops at the first event that was
 * edited, deleted, inserted or moved, or that is missing at the end. Reads the log once, and twice if it was altered;
 * needs no lease.
 *
 * @throws {StorageError} `invalid` for a log of a store without proof, a malformed key or a malformed known seal; as
 * `LogReader.range`, except for `corrupt`, which is reported as `broken`.
 */
export async function verify(log: LogReader, options: VerifyOptions = {}): Promise<Verdict> {
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} has no proofs.`);
  checkOptions(options);
  let verdict = await verifyOnce(log, proof, options);
  // A text that is scrubbed after its proof was read looks altered; a second pass finds its tombstone.
  for (let before = -1; verdict.broken?.reason === 'altered' && verdict.broken.seq !== before;) {
    before = verdict.broken.seq;
    verdict = await verifyOnce(log, proof, options);
  }
  return verdict;
}

function checkOptions({ trusted = [], known }: VerifyOptions): void {
  for (const did of trusted) {
    if (isPublicKey(did)) continue;
    throw new StorageError('invalid', `${JSON.stringify(did)} is not an Ed25519 public key (did:key:z6Mk…).`);
  }
  if (!known || isSha256Hex(known.seal)) return;
  throw new StorageError('invalid', `${JSON.stringify(known.seal)} is not a seal of 64 hexadecimal digits.`);
}

async function verifyOnce(log: LogReader, proof: LogProof, options: VerifyOptions): Promise<Verdict> {
  const ends = [await proof.end(), await proof.sealedOnce?.()].filter((end) => end !== undefined);
  const verification = new Verification(log.id, options, ends);
  try {
    await read(log, proof, verification, options.each);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'corrupt') throw error;
    verification.failLost(error.message);
  }
  if (!verification.isBroken) verification.addLoss(await log.loss?.());
  return verification.verdict();
}

async function read(
  log: LogReader,
  proof: LogProof,
  verification: Verification,
  each: VerifyOptions['each'],
): Promise<void> {
  const proofAt = proofCursor(proof);
  for (;;) {
    for await (const event of log.range(verification.head)) {
      const stored = await proofAt(event.seq);
      const isPending = stored?.seal === undefined && verification.needsSignature(event);
      verification.add(event, isPending ? await waitForSeal(proof, event.seq) : stored);
      if (verification.isBroken) return;
      await each?.(event);
    }
    const rest = await proof.page(verification.head, Number.MAX_SAFE_INTEGER);
    // Events appended during the verification are not a lost end: read on.
    if ((await log.head()) > verification.head) continue;
    verification.end(rest);
    return;
  }
}

/**
 * Waits for the seal of an event that has none yet: a store that writes events before their seals may be between the
 * two. If the seal does not appear, a crash or another program left the event unsealed.
 */
async function waitForSeal(proof: LogProof, seq: number): Promise<EventProof | undefined> {
  for (let tries = 0; ; tries += 1) {
    const [eventProof] = await proof.page(seq, seq + 1);
    if (eventProof?.seal !== undefined || tries === pendingTries) return eventProof;
    await setTimeout(pendingMs);
  }
}
