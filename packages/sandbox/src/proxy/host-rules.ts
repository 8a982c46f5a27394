import { BlockList, isIP } from 'node:net';
import type { LookupAddress } from 'node:dns';
import type { AllowedHosts } from '../policy/sandbox-policy.ts';

/** Addresses that a name must not lead to: this machine, and the services of a cloud for its machines. */
const localAddresses = new BlockList();
localAddresses.addSubnet('0.0.0.0', 8);
localAddresses.addSubnet('127.0.0.0', 8);
localAddresses.addSubnet('169.254.0.0', 16);
localAddresses.addAddress('100.100.100.200');
localAddresses.addAddress('168.63.129.16');
localAddresses.addAddress('fd00:ec2::254', 'ipv6');
localAddresses.addAddress('::', 'ipv6');
localAddresses.addAddress('::1', 'ipv6');
localAddresses.addSubnet('fe80::', 10, 'ipv6');

/** Returns whether the rules allow or deny a host; undefined when no rule names it. */
export function ruleFor(host: string, { allowed, denied = [] }: AllowedHosts): boolean | undefined {
  if (denied.some((pattern) => matchesHost(host, pattern))) return false;
  return allowed.some((pattern) => matchesHost(host, pattern)) ? true : undefined;
}

/** Returns true if a pattern names a host: `*` all, `*.name` those below a name. Case and a final dot do not matter. */
export function matchesHost(host: string, pattern: string): boolean {
  const name = canonical(host);
  const wanted = canonical(pattern);
  if (wanted === '*') return true;
  return wanted.startsWith('*.') ? name.endsWith(wanted.slice(1)) : name === wanted;
}

function canonical(host: string): string {
  return host.toLowerCase().replace(/\.$/, '').replaceAll(/[[\]]/g, '');
}

/** Returns the addresses of a name that a connection may use; an address or `localhost` that a rule allows is meant. */
export function usableAddresses(host: string, addresses: readonly LookupAddress[]): readonly LookupAddress[] {
  if (isIP(canonical(host)) !== 0 || canonical(host) === 'localhost') return addresses;
  return addresses.filter(({ address, family }) => !localAddresses.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}
