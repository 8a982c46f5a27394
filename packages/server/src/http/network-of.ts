/** Returns an IPv4 address, or the network of an IPv6 address: one sender has many of those. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return plain.includes(':') ? plain.split(':').slice(0, 4).join(':') : plain;
}
