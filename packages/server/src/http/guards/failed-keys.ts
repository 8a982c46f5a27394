import { isLoopback } from '@varve/text';

/** Counts wrong keys by the address of their sender. */
export interface FailedKeys {
  add(address: string | undefined): void;
  /** Returns the milliseconds until an address may send keys again; 0 if it may. */
  waitOf(address: string | undefined): number;
}

/** Options of `failedKeys`. */
export interface FailedKeysOptions {
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Wrong keys of one address within `windowMs`; default 100. */
  readonly most?: number;
  /** Milliseconds; default one minute. */
  readonly windowMs?: number;
}

interface Failures {
  count: number;
  /** UTC milliseconds. */
  readonly until: number;
}

/** Number of addresses that are remembered. */
const capacity = 10_000;

/**
 * Limits how fast keys can be guessed over a network. Addresses of this machine are not limited: one of its users, or
 * the clients of a proxy, could keep the owner out.
 */
export function failedKeys({ now, most = 100, windowMs = 60_000 }: FailedKeysOptions): FailedKeys {
  const failures = new Map<string, Failures>();
  const current = (name: string): Failures | undefined => {
    const failure = failures.get(name);
    return failure && failure.until > now() ? failure : undefined;
  };
  return {
    add(address) {
      const name = limitedNetwork(address);
      if (name === undefined) return;
      const known = current(name) ?? { count: 0, until: now() + windowMs };
      known.count += 1;
      failures.delete(name);
      failures.set(name, known);
      const [oldest] = failures.keys();
      if (failures.size > capacity && oldest !== undefined) failures.delete(oldest);
    },
    waitOf(address) {
      const name = limitedNetwork(address);
      const known = name === undefined ? undefined : current(name);
      return known && known.count >= most ? known.until - now() : 0;
    },
  };
}

/** Returns the network of an address; undefined for this machine. */
function limitedNetwork(address: string | undefined): string | undefined {
  if (address === undefined || isLoopback(address.replace(/^::ffff:/i, ''))) return undefined;
  return networkOf(address);
}

/** Returns an IPv4 address, or the network of an IPv6 address: one sender has many of those. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain;
}
