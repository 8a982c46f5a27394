import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { ServerError } from '../error.ts';

/** Proxies in front of a server, whose header `X-Forwarded-For` is used. */
export interface TrustedProxies {
  /** Returns true for the address of a proxy. */
  has(address: string | undefined): boolean;
  /** Returns the address of the sender of a request: that of its connection, or the one that a proxy forwards for. */
  senderOf(incoming: IncomingMessage): string | undefined;
}

/**
 * Returns the proxies with these addresses and networks, such as `10.0.0.0/8`.
 *
 * @throws {ServerError} `invalid` for another text.
 */
export function trustedProxies(addresses: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const address of addresses) add(list, address);
  const has: TrustedProxies['has'] = (address) => {
    const plain = plainAddress(address ?? '');
    return isIP(plain) !== 0 && list.check(plain, familyOf(plain));
  };
  return {
    has,
    senderOf({ socket, headers }) {
      const sent = headers['x-forwarded-for'];
      const hops = String(sent ?? '').split(',');
      let sender = socket.remoteAddress;
      // Each proxy appends the address that it received a request from: what is before that may be made up.
      while (has(sender)) {
        const next = plainAddress(hops.pop()?.trim() ?? '');
        if (isIP(next) === 0) break;
        sender = next;
      }
      return sender;
    },
  };
}

function add(list: BlockList, text: string): void {
  const [address = '', bits, ...rest] = text.split('/');
  const length = isIP(address) === 4 ? 32 : 128;
  const prefix = bits === undefined ? length : Number(bits);
  if (isIP(address) === 0 || rest.length > 0 || !/^\d+$/.test(bits ?? '0') || prefix > length)
    throw new ServerError('invalid', `The trusted proxy ${JSON.stringify(text)} is not an address or a network.`);
  list.addSubnet(address, prefix, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

/** Returns the IPv4 address that an IPv6 address of a connection contains. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}
