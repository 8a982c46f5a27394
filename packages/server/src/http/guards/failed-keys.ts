import { isLoopback } from '@varve/text';

/** Counts within windows of time, by name. */
export interface WindowCounts {
  add(name: string | undefined): void;
  /** Returns the milliseconds until a name may be counted again; 0 if it may. */
  waitOf(name: string | undefined): number;
}

/** Options of `windowCounts`. */
export interface WindowOptions {
  /** UTC milliseconds. */
  readonly now: () => number;
  /** Most counts of a name within `windowMs`. */
  readonly most: number;
  /** Milliseconds; default one minute. */
  readonly windowMs?: number;
}

interface Count {
  count: number;
  /** UTC milliseconds. */
  readonly until: number;
}

/** Number of names that are remembered. */
const capacity = 10_000;

/** Creates counts within windows of time. Undefined is not counted. */
export function windowCounts({ now, most, windowMs = 60_000 }: WindowOptions): WindowCounts {
  const counts = new Map<string, Count>();
  const current = (name: string): Count | undefined => {
    const known = counts.get(name);
    return known && known.until > now() ? known : undefined;
  };
  return {
    add(name) {
      if (name === undefined) return;
      const known = current(name) ?? { count: 0, until: now() + windowMs };
      known.count += 1;
      counts.delete(name);
      counts.set(name, known);
      const [oldest] = counts.keys();
      if (counts.size > capacity && oldest !== undefined) counts.delete(oldest);
    },
    waitOf(name) {
      const known = name === undefined ? undefined : current(name);
      return known && known.count >= most ? known.until - now() : 0;
    },
  };
}

/**
 * Counts wrong keys by the address of their sender, and limits how fast they can be guessed over a network. Addresses
 * of this machine are not limited: one of its users, or the clients of a proxy, could keep the owner out.
 */
export function failedKeys({
  most = 100,
  ...options
}: Omit<WindowOptions, 'most'> & Partial<WindowOptions>): WindowCounts {
  const failures = windowCounts({ ...options, most });
  return {
    add: (address) => failures.add(limitedNetwork(address)),
    waitOf: (address) => failures.waitOf(limitedNetwork(address)),
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
