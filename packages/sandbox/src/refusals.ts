import { resolve } from 'node:path';
import { accessTo, isWithin, realPath, type Mount } from './bubblewrap/mounts.ts';
import type { SandboxPolicy } from './policy/sandbox-policy.ts';
import { ruleFor } from './proxy/host-rules.ts';
import type { Refusal } from './sandbox.ts';

/** Options of {@link describeRefusals}. */
export interface RefusalOptions {
  readonly output: string;
  /** Directory to which paths of the output are relative. */
  readonly directory: string;
  readonly policy: SandboxPolicy;
  readonly mounts: readonly Mount[];
  /** Hosts that the proxy refused. */
  readonly hosts: readonly string[];
}

const readOnly = /read-only file system|\bEROFS\b/i;
const denied = /permission denied|operation not permitted|\bE(?:ACCES|PERM)\b/i;
/** Programs that ignore the variables of the proxy have no names of hosts. */
const unresolved =
  /(?:could not resolve host(?:name)?:?|getaddrinfo E(?:AI_AGAIN|NOTFOUND)|failed to resolve|\blookup) '?([a-z\d][\w.-]*\.[a-z]+)/gi;
const localSocket = /unix:\/\/|\blisten E(?:PERM|ACCES)\b|\bsocket\b.*not permitted|AF_UNIX/i;

/** Number of lines at the end of the output that are searched. */
const maxLines = 200;
const maxHosts = 10;

/** Returns the hosts, the path and the sockets that a policy has refused. */
export function describeRefusals(options: RefusalOptions): Refusal | undefined {
  const { output, policy } = options;
  const lines = output
    .split('\n')
    .slice(-maxLines)
    .filter((line) => line.length < 2000);
  const names = policy.network === 'on' ? [] : lines.flatMap((line) => [...line.matchAll(unresolved)]);
  const hosts = [...new Set([...options.hosts, ...names.map(([, name = '']) => name)])];
  const found = lines
    .filter(isRefusal)
    .map((line) => refusedPath(line, options))
    .find((reason) => reason !== undefined);
  const what = [
    ...(hosts.length === 0 ? [] : [`the network host${hosts.length === 1 ? '' : 's'} ${listed(hosts)}`]),
    ...(found === undefined ? [] : [`${found.access} ${found.path}`]),
    ...(lines.some((line) => localSocket.test(line)) ? ['sockets of the local machine'] : []),
  ];
  if (what.length === 0) return undefined;
  const isDenied =
    hosts.some((host) => typeof policy.network === 'object' && ruleFor(host, policy.network) === false) ||
    (policy.denied ?? []).some((path) => found !== undefined && isWithin(found.path, realPath(path)));
  const reason = isDenied ? ' A rule denies this.' : '';
  return { text: `The sandbox (profile ${policy.profile}) refused ${what.join(' and ')}.${reason}`, isDenied };
}

/** Returns the first names of a list, which a program can make long. */
function listed(hosts: readonly string[]): string {
  const more = hosts.length - maxHosts;
  return `${hosts.slice(0, maxHosts).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function isRefusal(text: string): boolean {
  return readOnly.test(text) || denied.test(text);
}

/** Returns the path of a message that the policy refuses, with the kind of access. */
function refusedPath(
  line: string,
  { directory, mounts }: RefusalOptions,
): { readonly access: string; readonly path: string } | undefined {
  const quoted = line.split(/['"‘’`]/).filter((_, index) => index % 2 === 1);
  // Most messages are `program: path: reason`; a word alone may be anything.
  const words = line.split(/\s+/).filter((word) => /\/|:$/.test(word));
  const named = words.map((word) => word.replaceAll(/['"():,]/g, '')).toReversed();
  for (const word of [...quoted, ...named]) {
    if (word === '' || isRefusal(word)) continue;
    const path = realPath(resolve(directory, word));
    const access = accessTo(path, mounts)?.access;
    if (access === 'hidden') return { access: 'access to', path };
    if (access !== 'writable' && readOnly.test(line)) return { access: 'writing to', path };
  }
  return undefined;
}
