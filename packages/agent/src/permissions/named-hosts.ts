/** Longest scheme and address that are read. Bounds the work for a text of many colons and slashes. */
const maxScheme = 32;
const maxAddress = 2000;
/** Part of an address that determines its host. What follows is not read, as it may contain the next address. */
const authority = /^:\/{2,}[^\s'"<>`|;&(){}\\/?#]*/;

/** Returns the hosts of all addresses in some texts, in lower case. Takes time proportional to their length. */
export function hostsIn(texts: readonly string[]): readonly string[] {
  const hosts = new Set<string>();
  for (const text of new Set(texts)) {
    for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
      const before = /(?<![a-z0-9+.-])[a-z0-9+.-]+$/i.exec(text.slice(Math.max(0, at - maxScheme), at))?.[0];
      const scheme = before?.replace(/^[^a-z]+/i, '');
      const rest = authority.exec(text.slice(at, at + maxAddress))?.[0];
      const host = scheme && rest && hostOf(scheme + rest);
      if (host) hosts.add(host);
    }
  }
  return [...hosts];
}

/**
 * Returns the hosts of a call whose strings are whole addresses or plain words; undefined if another string may name a
 * host, such as `example.com/x`, `//example.com` or a text with an address in it. Programs read addresses differently:
 * an address with a user, a backslash or a character that ends it elsewhere is not certain either.
 */
export function onlyHosts(texts: readonly string[]): readonly string[] | undefined {
  const hosts = texts.map((text) => {
    if (/^[\w-]{0,200}$/.test(text) && !/^localhost$|^\d/i.test(text)) return '';
    const isPlain = /^https?:\/\/[a-z0-9.-]+(?::\d+)?(?:[/?#][\w\-.~%!$*+,:@/?#=&]*)?$/i.test(text);
    return isPlain && text.indexOf('://', 8) < 0 ? hostOf(text) : undefined;
  });
  const known = hosts.filter((host) => host !== undefined);
  return known.length === hosts.length ? known.filter((host) => host !== '') : undefined;
}

/** Reports whether a pattern names a host; `*.example.com` is that name and all below it. */
export function isHost(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase();
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) || host === name.slice(2) : host === name;
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase().replace(/\.$/, '') : undefined;
}
