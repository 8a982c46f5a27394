import type { Event } from './event.ts';
import { isSigned } from './properties.ts';
import {
  signEvent,
  verifySignature,
  withoutFragment,
  type EventSigner,
  type VerifySignatureOptions,
} from './signing.ts';

/** Returns true for an event that an agent signs. Messages of the user and compactions have no signer. */
export function isOfAgent({ type, author, actions, agent_name }: Event): boolean {
  return type !== 'user_message' && author !== 'system' && !actions.compaction && agent_name !== 'compaction';
}

/**
 * Signs the events of agents that have no signature, each with the signature before it on the same branch, so that an
 * event in between cannot be removed. Partial events are signed and are not part of the chain.
 */
export function signEvents(events: readonly Event[], signer: EventSigner): readonly Event[] {
  const heads = new Map<string, string>();
  return events.map((event) => {
    const isUnsigned = isOfAgent(event) && !isSigned(event);
    const linked = { ...event, prev_signature: heads.get(event.branch) ?? null };
    const signed = isUnsigned ? signEvent(linked, signer) : event;
    if (signed.signature !== null && signed.partial !== true) heads.set(signed.branch, signed.signature);
    return signed;
  });
}

/** Requirements of {@link verifyEvents}. */
export interface TrustPolicy extends VerifySignatureOptions {
  /** DIDs that may sign. Default all. */
  readonly trusted?: readonly string[];
  /** DIDs that must not sign, even if they are trusted. */
  readonly denied?: readonly string[];
  /** Types of events that must be signed. Default none. */
  readonly mustBeSigned?: readonly Event['type'][];
  /**
   * Chain of the signatures of a branch: not checked (default), over the whole log, or one that may start again with
   * each invocation, as with the runner of orxhestra.
   */
  readonly chain?: 'unchecked' | 'log' | 'invocation';
}

/** Result for one event. */
export interface EventVerdict {
  readonly id: string;
  readonly isSigned: boolean;
  /** Reason why the event does not meet the policy; absent if it does. */
  readonly problem?: 'unsigned' | 'denied signer' | 'unknown signer' | 'invalid signature' | 'broken chain';
}

/** Checks events in their order against a policy. An event that fails is not part of the chain. */
export function verifyEvents(events: readonly Event[], policy: TrustPolicy): readonly EventVerdict[] {
  const heads = new Map<string, { readonly signature: string; readonly invocation: string }>();
  return events.map((event) => {
    const { id, branch, invocation_id: invocation, signature, partial } = event;
    const problem = problemOf(event, policy) ?? chainProblem(event, heads.get(branch), policy);
    const isPart = signature !== null && isSigned(event) && problem === undefined && partial !== true;
    if (isPart) heads.set(branch, { signature, invocation });
    return { id, isSigned: isSigned(event), ...(problem && { problem }) };
  });
}

function problemOf(event: Event, policy: TrustPolicy): EventVerdict['problem'] {
  const { trusted, denied = [], mustBeSigned = [] } = policy;
  if (!isSigned(event)) return mustBeSigned.includes(event.type) ? 'unsigned' : undefined;
  const signer = withoutFragment(event.signer_did);
  const isIn = (dids: readonly string[]): boolean => dids.some((did) => withoutFragment(did) === signer);
  if (isIn(denied)) return 'denied signer';
  if (trusted && !isIn(trusted)) return 'unknown signer';
  return verifySignature(event, policy) ? undefined : 'invalid signature';
}

function chainProblem(
  event: Event,
  head: { readonly signature: string; readonly invocation: string } | undefined,
  { chain = 'unchecked' }: TrustPolicy,
): EventVerdict['problem'] {
  if (chain === 'unchecked' || !isSigned(event)) return undefined;
  const isStart = chain === 'invocation' && head?.invocation !== event.invocation_id;
  const isLinked = event.prev_signature === (head?.signature ?? null);
  return isLinked || (isStart && event.prev_signature === null) ? undefined : 'broken chain';
}
