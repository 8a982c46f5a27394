import { createHmac } from 'node:crypto';
import { isLoopback } from '@varve/text';
import type { WebhookOptions } from './webhook-options.ts';

/** What the headers of deliveries are made of. */
export interface DeliveryParts {
  /** Key of the server, by which receivers recognize it. */
  readonly key: string;
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Returns a new id of a delivery. */
  readonly newId: () => string;
}

/** Headers of a delivery. */
export interface SignedDelivery {
  /** Id of all its attempts. */
  readonly id: string;
  /** Returns the headers of an attempt now. */
  readonly signed: () => Readonly<Record<string, string>>;
}

/** Returns the headers of the delivery of a body. */
export type DeliveryHeaders = (body: string) => SignedDelivery;

/**
 * Returns the headers of deliveries to a receiver: those that a person configured, the key of the server where nobody
 * on the way can read it, and the signature. All attempts of a delivery have one id.
 *
 * @see Standard Webhooks 1.0.0
 */
export function deliveryHeaders(receiver: WebhookOptions, { key, now, newId }: DeliveryParts): DeliveryHeaders {
  const { headers, secret = derivedSecret(receiver, key) } = receiver;
  const bytes = Buffer.from(secret.slice(secretPrefix.length), 'base64');
  const shared = { ...headers, ...(receivesKey(receiver) && { 'X-Session-API-Key': key }) };
  return (body) => {
    const id = `msg_${newId()}`;
    const signed = (): Readonly<Record<string, string>> => {
      const seconds = String(Math.floor(now() / 1000));
      const signature = createHmac('sha256', bytes).update(`${id}.${seconds}.${body}`).digest('base64');
      return {
        ...shared,
        'webhook-id': id,
        'webhook-timestamp': seconds,
        'webhook-signature': `v1,${signature}`,
      };
    };
    return { id, signed };
  };
}

/** Returns true for a receiver that is sent the key: with plain HTTP only one on this machine. */
export function receivesKey({ send_key: isWanted, base_url: address }: WebhookOptions): boolean {
  const { protocol, hostname } = new URL(address);
  return isWanted && (protocol === 'https:' || isLoopback(hostname));
}

/** Beginning of a secret; its bytes follow in base64. */
const secretPrefix = 'whsec_';

/** Returns the secret of a receiver without one: it shows nothing of the key, and who has the key can compute it. */
function derivedSecret({ base_url: address }: WebhookOptions, key: string): string {
  return secretPrefix + createHmac('sha256', key).update(`varve webhook ${address}`).digest('base64');
}
