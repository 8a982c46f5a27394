import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseJson } from '@varve/text';
import type { Access } from '../access.ts';

/** Header of a request that a replica forwarded, which contains its signature: no other one forwards it again. */
export const forwardedHeader = 'x-varve-forwarded';

/** Method, path and query of a request. */
export type Target = Readonly<Record<'method' | 'url', string>>;

/** Signs what replicas forward to each other, with what its sender may do. */
export interface PeerSignature {
  /** Returns the header of a request. */
  sign(target: Target, body: Uint8Array, access: Access): string;
  /** Returns true for a header that a replica has signed for a request to this path recently. */
  isSigned(target: Target, header: unknown): boolean;
  /** Returns what the sender of a forwarded request may do; undefined for one that no replica has signed. */
  readonly accessOf: (request: Request) => Promise<Access | undefined>;
}

/** What a header contains. */
interface Signed {
  readonly access: Access;
  /** UTC milliseconds. */
  readonly at: number;
  readonly digest: string;
}

/** Longest time between two clocks of replicas. */
const toleranceMs = 300_000;

/** Creates the signatures of the replicas that have a passphrase. */
export function peerSignature(passphrase: string, now: () => number): PeerSignature {
  const key = createHmac('sha256', passphrase).update('varve replicas').digest();
  const macOf = ({ method, url }: Target, payload: string): Buffer => {
    return createHmac('sha256', key)
      .update(JSON.stringify([method, url, payload]))
      .digest();
  };
  const signedIn = (target: Target, header: unknown): Signed | undefined => {
    const [payload = '', mac = ''] = String(header).split('.');
    const [sent, expected] = [Buffer.from(mac, 'base64url'), macOf(target, payload)];
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
    const signed = parseJson(Buffer.from(payload, 'base64url').toString()) as Signed;
    return Math.abs(now() - signed.at) <= toleranceMs ? signed : undefined;
  };
  return {
    sign(target, body, access) {
      const signed: Signed = { access, at: now(), digest: digestOf(body) };
      const payload = Buffer.from(JSON.stringify(signed)).toString('base64url');
      return `${payload}.${macOf(target, payload).toString('base64url')}`;
    },
    isSigned: (target, header) => signedIn(target, header) !== undefined,
    async accessOf(request) {
      const { pathname, search } = new URL(request.url);
      const target = { method: request.method, url: `${pathname}${search}` };
      const signed = signedIn(target, request.headers.get(forwardedHeader));
      if (!signed) return undefined;
      const body = new Uint8Array(await request.clone().arrayBuffer());
      return digestOf(body) === signed.digest ? signed.access : undefined;
    },
  };
}

function digestOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64url');
}
