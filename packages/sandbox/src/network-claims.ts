import { existsSync, readFileSync } from 'node:fs';

/** Programs that ignore the variables of the proxy have no names of hosts. */
const unresolved =
  /(?:could not resolve host(?:name)?:?|getaddrinfo E(?:AI_AGAIN|NOTFOUND)|failed to resolve|\blookup) '?([a-z\d][\w.-]*\.[a-z]+)/gi;
/** Without a network, only addresses of the own machine refuse a connection. */
const refusedLocally = /connection refused|ECONNREFUSED/i;
const unconnected = /couldn't connect|failed to connect/i;
const local = /localhost|127\.0\.0\.1|::1/;
const localPort = /(?:localhost|127\.0\.0\.1|::1)\D{1,20}(\d{1,5})\b/g;

/** State of a socket that listens, in the tables of the kernel. */
const listening = '0A';

/** Hosts without a name and services of this machine that lines of output name. */
export interface NetworkClaims {
  readonly hosts: readonly string[];
  /** Ports on which this machine has a service. */
  readonly ports: readonly number[];
  /** True if a program found no service at an address of its own machine. */
  readonly isLocal: boolean;
}

/** Reads what programs write that have no network but that of their sandbox. */
export function networkClaims(lines: readonly string[]): NetworkClaims {
  const refused = lines.filter((line) => refusedLocally.test(line) || (unconnected.test(line) && local.test(line)));
  const ports = matchesIn(localPort, refused).map(Number);
  const services = ports.length === 0 ? new Set<number>() : listeningPorts();
  return {
    hosts: matchesIn(unresolved, lines),
    ports: ports.filter((port) => services.has(port)),
    isLocal: refused.length > 0,
  };
}

/** Returns what the first group of a pattern matches in some lines. */
function matchesIn(pattern: RegExp, lines: readonly string[]): readonly string[] {
  return [...new Set(lines.flatMap((line) => [...line.matchAll(pattern)].map(([, found = '']) => found)))];
}

/** Returns the ports on which programs of this machine listen; none where the kernel has no tables of them. */
function listeningPorts(): ReadonlySet<number> {
  const tables = ['/proc/net/tcp', '/proc/net/tcp6'].filter((path) => existsSync(path));
  const rows = tables.flatMap((path) => readFileSync(path, 'utf8').split('\n')).map((row) => row.trim().split(/\s+/));
  const open = rows.filter(([, , , state]) => state === listening);
  return new Set(open.map(([, address = '']) => Number.parseInt(address.split(':').at(-1) ?? '', 16)));
}
