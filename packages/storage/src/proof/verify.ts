import { setTimeout } from 'node:timers/promises';
import { StorageError } from '../contract/error.ts';
import type { EventProof, LogProof } from '../contract/log-proof.ts';
import type { LogReader } from '../contract/log-reader.ts';
import { proofCursor } from './proof-pages.ts';
import type { Verdict, VerifyOptions } from './verdict.ts';
import { Verification } from './verification.ts';

/** How often, and after what time, a seal that an event has not yet is asked for again. */
const pendingTries = 20;
const pendingMs = 50;

/**
 * Makes every seal of a log anew from its events and compares it with the one that was kept, with checkpoints, and with
 * what is known from elsewhere. Names the first event that edits, deletions, insertions, exchanges or a cut end leave
 * without proof, and stops there. Costs one reading of the log, two of one that was altered; needs no lease.
 *
 * @throws {StorageError} `invalid` for a log of a store without proof; as `LogReader.range`, but for `corrupt`, which is
 * an answer.
 */
export async function verify(log: LogReader, options: VerifyOptions = {}): Promise<Verdict> {
  const { proof } = log;
  if (!proof) throw new StorageError('invalid', `The store of conversation ${log.id} keeps no proof.`);
  let verdict = await verifyOnce(log, proof, options);
  // A text that is scrubbed after its proof was read looks like one that somebody altered, once.
  for (let before = -1; verdict.broken?.reason === 'altered' && verdict.broken.seq !== before;) {
    before = verdict.broken.seq;
    verdict = await verifyOnce(log, proof, options);
  }
  return verdict;
}

async function verifyOnce(log: LogReader, proof: LogProof, options: VerifyOptions): Promise<Verdict> {
  const verification = new Verification(log.id, options);
  try {
    await read(log, proof, verification);
  } catch (error) {
    if (!(error instanceof StorageError) || error.code !== 'corrupt') throw error;
    verification.failLost(error.message);
  }
  return verification.verdict();
}

async function read(log: LogReader, proof: LogProof, verification: Verification): Promise<void> {
  const end = await proof.end();
  const kept = proofCursor(proof);
  for (;;) {
    for await (const event of log.range(verification.head)) {
      const known = await kept(event.seq);
      const isPending = known?.seal === undefined && verification.needsSignature(event);
      verification.add(event, isPending ? await waitForSeal(proof, event.seq) : known, end?.head ?? 0);
      if (verification.isBroken) return;
    }
    const rest = await proof.page(verification.head, Number.MAX_SAFE_INTEGER);
    // What somebody appended meanwhile is no end that was lost.
    if ((await log.head()) > verification.head) continue;
    verification.end(end, rest);
    return;
  }
}

/**
 * What is kept about an event that had no seal yet: a store whose events come before their seals may be between the
 * two. One that stays without was left so, by a crash or by somebody else.
 */
async function waitForSeal(proof: LogProof, seq: number): Promise<EventProof | undefined> {
  for (let tries = 0; ; tries += 1) {
    const [found] = await proof.page(seq, seq + 1);
    if (found?.seal !== undefined || tries === pendingTries) return found;
    await setTimeout(pendingMs);
  }
}
