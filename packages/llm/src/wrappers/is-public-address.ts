import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** Private and reserved networks. */
const networks: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Range of IPv6 addresses assigned to machines, and the networks in it that embed IPv4 addresses or are reserved. */
const global6: readonly [string, number] = ['2000::', 3];
const embedded6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const reserved = new BlockList();
for (const [network, bits] of networks) reserved.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of embedded6) reserved.addSubnet(network, bits, 'ipv6');
const public6 = new BlockList();
public6.addSubnet(...global6, 'ipv6');

/**
 * Returns whether an IP address belongs to the public internet: not to this machine or a private network, also embedded
 * in another address.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry
 * @see https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !reserved.check(address, 'ipv4');
  return isIPv6(address) && public6.check(address, 'ipv6') && !reserved.check(address, 'ipv6');
}
