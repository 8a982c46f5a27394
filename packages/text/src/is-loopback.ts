/** Returns whether a host name, an IP address or a URL refers to this machine; false for any other text. */
export function isLoopback(address: string): boolean {
  const host = hostOf(address)
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hostOf(address: string): string {
  return address.includes('://') ? (URL.parse(address)?.hostname ?? '') : address;
}
