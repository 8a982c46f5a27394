import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { publicKeyInDid } from '@varve/text';
import type { Event } from './event.ts';
import { isSigned, partsOfType, textOfEvent } from './properties.ts';
import { InteropError } from '../error.ts';
import { canonicalJson, hashOf, sha256 } from './canonical-json.ts';

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
interface TrustPolicy extends VerifySignatureOptions {
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
interface EventVerdict {
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

/** What a signature covers: ten keys since orxhestra 0.1, six in what its documentation describes. */
type PayloadScheme = 'ten-keys' | 'six-keys';

/** Signs bytes with Ed25519. A `Signer` of `@varve/storage` is one. */
export interface EventSigner {
  /** `did:key:z6Mk…` */
  readonly did: string;
  /** Returns a signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

/** Returns the value that a signature of an event covers, before it becomes canonical JSON. */
export function signablePayload(event: Event, scheme: PayloadScheme = 'ten-keys'): object {
  const { id, type, timestamp, agent_name, branch, prev_signature, actions, llm_response: reply } = event;
  const common = { id, type, timestamp, agent_name: agent_name ?? '', branch, content_text: textOfEvent(event) };
  if (scheme === 'six-keys') return common;
  const text = reply?.['text'];
  return {
    ...common,
    prev_signature: prev_signature ?? '',
    tool_calls: partsOfType(event, 'tool_call').map(({ tool_call_id, tool_name, args }) => ({
      tool_call_id,
      tool_name,
      args_hash: hashOf(args),
    })),
    actions: {
      transfer_to_agent: actions.transfer_to_agent ?? '',
      state_delta_hash: hashOf(actions.state_delta),
    },
    llm_response: reply
      ? { model: reply['model_version'] ?? '', text_hash: typeof text === 'string' && text !== '' ? sha256(text) : '' }
      : {},
  };
}

/** Returns the event with a signature. @throws {InteropError} `invalid` for content that cannot be signed. */
export function signEvent(event: Event, signer: EventSigner): Event {
  const bytes = Buffer.from(canonicalJson(signablePayload(event)));
  const base64 = Buffer.from(signer.sign(bytes)).toString('base64');
  return { ...event, signature: base64.replaceAll('+', '-').replaceAll('/', '_'), signer_did: signer.did };
}

/** Options of {@link verifySignature}. */
interface VerifySignatureOptions {
  /** Accepted payloads, the preferred one first. Default only `ten-keys`: six keys leave calls and order open. */
  readonly schemes?: readonly PayloadScheme[];
  /** Returns the key of a DID. Default those of `did:key`. */
  readonly keyOf?: (did: string) => KeyObject | undefined;
}

/**
 * Returns the payload that the signature of an event covers; undefined for an event without a valid signature. It
 * proves which key signed, and neither that the key is trusted nor anything about results, thinking and metadata.
 */
export function verifySignature(event: Event, options: VerifySignatureOptions = {}): PayloadScheme | undefined {
  const { schemes = ['ten-keys'], keyOf = publicKeyOf } = options;
  const signature = signatureBytes(event.signature ?? '');
  const key = isSigned(event) ? keyOf(event.signer_did) : undefined;
  if (!signature || !key) return undefined;
  return schemes.find((scheme) => {
    const payload = payloadText(event, scheme);
    return payload !== undefined && verify(null, Buffer.from(payload), key, signature);
  });
}

/** Returns a `did:key` without the fragment that names its only key; any other DID as it is. */
function withoutFragment(did: string): string {
  const [key = '', ...fragment] = did.split('#');
  return key.startsWith('did:key:') && `did:key:${fragment.join('#')}` === key ? key : did;
}

/** Returns the Ed25519 key of a `did:key`, also with the fragment of this key; undefined for any other DID. */
function publicKeyOf(did: string): KeyObject | undefined {
  const bytes = publicKeyInDid(withoutFragment(did));
  const x = bytes && Buffer.from(bytes).toString('base64url');
  return x === undefined ? undefined : createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

function payloadText(event: Event, scheme: PayloadScheme): string | undefined {
  try {
    return canonicalJson(signablePayload(event, scheme));
  } catch (error) {
    if (error instanceof InteropError) return undefined;
    throw error;
  }
}

/** Returns 64 bytes; undefined for any other text than their one base64url form with padding. */
function signatureBytes(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length === 64 && `${bytes.toString('base64url')}==` === text ? bytes : undefined;
}
