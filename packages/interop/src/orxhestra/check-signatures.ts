import type { ReadOptions, SignatureReport } from '../common/log-format.ts';
import { InteropError } from '../error.ts';
import { eventOf, type Event } from './event.ts';
import { isSigned } from './properties.ts';
import { isOfAgent, verifyEvents } from './trust.ts';

/**
 * Checks the signatures of the events of a log: each one, and the chain of each branch, which may start again with each
 * invocation. With trusted keys, one of them must have signed every event of an agent. Messages of the user and
 * compactions have no signatures.
 *
 * @param values JSON of the events as `parseExactJson` returns it, because a signature covers all digits.
 * @returns Undefined for a log without signatures, if no keys are trusted.
 * @throws {InteropError} `invalid` for a log that the trusted keys did not sign.
 */
export function checkSignatures(
  values: readonly unknown[],
  { trusted }: Pick<ReadOptions, 'trusted'>,
): SignatureReport | undefined {
  const placed = values.flatMap((value, index) => {
    const event = eventOf(value);
    return event ? [{ event, place: `event ${index}` }] : [];
  });
  const events = placed.map(({ event }) => event);
  if (!trusted && !events.some((event) => isSigned(event))) return undefined;
  const verdicts = verifyEvents(events, { chain: 'invocation', ...(trusted && { trusted }) });
  const problems = placed.flatMap(({ event, place }, index) => {
    const isMissing = trusted !== undefined && needsSignature(event) && !isSigned(event);
    const problem = isMissing ? 'unsigned' : verdicts[index]?.problem;
    return problem === undefined ? [] : [{ place, reason: reasons[problem] }];
  });
  const valid = events.filter((event, index) => isSigned(event) && verdicts[index]?.problem === undefined);
  const [first] = problems;
  if (trusted && first) throw new InteropError('invalid', `The log is not trusted: ${first.place}: ${first.reason}`);
  if (trusted && valid.length === 0) throw new InteropError('invalid', 'The log is not trusted: no event is signed.');
  return { valid: valid.length, signers: [...new Set(valid.map(({ signer_did }) => signer_did))], problems };
}

/** Authors and names of agents are not signed: what is read as a reply or a result needs a signature in any case. */
function needsSignature(event: Event): boolean {
  const { type, actions, partial } = event;
  const isRead = (type === 'agent_message' || type === 'tool_response') && partial !== true;
  return isOfAgent(event) || (isRead && !actions.compaction);
}

const reasons = {
  unsigned: 'It has no signature.',
  'denied signer': 'Its signer is denied.',
  'unknown signer': 'Its signer is not trusted.',
  'invalid signature': 'Its signature is invalid.',
  'broken chain': 'An event before it is missing, or was added.',
} as const;
