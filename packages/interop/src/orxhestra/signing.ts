import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { publicKeyInDid } from '@varve/text';
import { InteropError } from '../error.ts';
import { canonicalJson, hashOf, sha256 } from './canonical-json.ts';
import type { Event } from './event.ts';
import { isSigned, textOfEvent, toolCallsOf } from './properties.ts';

/** What a signature covers: ten keys since orxhestra 0.1, six in what its documentation describes. */
export type PayloadScheme = 'ten-keys' | 'six-keys';

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
    tool_calls: toolCallsOf(event).map(({ tool_call_id, tool_name, args }) => ({
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
export interface VerifySignatureOptions {
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
export function withoutFragment(did: string): string {
  const [key = '', ...fragment] = did.split('#');
  return key.startsWith('did:key:') && `did:key:${fragment.join('#')}` === key ? key : did;
}

/** Returns the Ed25519 key of a `did:key`, also with the fragment of this key; undefined for any other DID. */
export function publicKeyOf(did: string): KeyObject | undefined {
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
