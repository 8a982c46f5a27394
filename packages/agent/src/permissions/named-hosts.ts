import type { ShellCommand } from '../shell/shell-command.ts';
import { digits } from '../shell/words/words.ts';

/** Longest scheme and host that are read. Bounds the work for a text of many colons and slashes. */
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

/** Returns the words of commands without their quotes, in which a host can be named too. */
export function wordsIn(commands: readonly ShellCommand[]): readonly string[] {
  return commands.flatMap(({ name, args, reads, writes }) => [name, ...args, ...reads, ...writes]);
}

/** Address whose host curl replaces by several: `http://{a,b}.example`, `http://[a-c].example`. */
const generated = /^(?:[a-z]+:\/\/)?[\w.,-]*[{[][\w.,-]+[}\]][\w.,{}[\]-]*(?:[:/?#]|$)/i;

/** Reports whether a program makes hosts out of its arguments. */
export function generatesHosts(commands: readonly ShellCommand[]): boolean {
  return commands.some(({ name, args }) => name === 'curl' && args.some((arg) => generated.test(arg)));
}

/** Word that programs may read as an address of numbers, of which some are not known. */
const numeric = /^(?:[\w+.-]{1,32}:\/\/)?(?:[^\s/@]{0,99}@)?\d[\da-fx.]{0,60}(?=[:/?#,]|$)/i;
/** Parts of a word that a program may read as an address: `10.1`, `0x7f000001`, `167772161`, `::1`. */
const addresses = [/(?<![\d.])\d[\da-fx.]{0,60}/gi, /(?<![\da-f])[\da-f]{0,4}(?::[\da-f.]{0,15}){2,8}/gi];
/** Most parts that are compared. */
const maxAddresses = 10_000;

/** Returns whether some words may spell an address of numbers: with fewer parts, in another base, or calculated. */
export function spellsAddress(pattern: string, words: readonly string[]): boolean {
  const wanted = hostOf(`http://${pattern.includes(':') && !pattern.startsWith('[') ? `[${pattern}]` : pattern}`);
  if (wanted === undefined || !/^[\d.]+$|^\[/.test(wanted)) return false;
  const hosts = new Set([wanted, hostOf(`http://[::ffff:${wanted}]`)]);
  const found = new Set<string>();
  for (const word of words) {
    if (word.includes(digits) && numeric.test(word.replaceAll(digits, '0'))) return true;
    // Programs also read digits of full width.
    const text = word.normalize('NFKC');
    for (const form of addresses) for (const [part] of text.matchAll(form)) found.add(part);
    if (found.size > maxAddresses) return true;
  }
  return found.values().some((part) => {
    const host = hostOf(`http://${part.includes(':') ? `[${part}]` : part}`);
    return host !== undefined && hosts.has(host);
  });
}

/**
 * Returns the hosts of a call whose strings are whole addresses or plain words; undefined if another string may name a
 * host, such as `example.com/x`, `//example.com` or a text with an address in it. Programs read addresses differently:
 * one with a user, a backslash or a character that ends it elsewhere is not certain either.
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

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname.toLowerCase().replace(/\.$/, '') : undefined;
}
