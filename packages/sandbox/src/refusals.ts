import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isMountPoint } from './bubblewrap/mount-points.ts';
import { accessTo, type Mount } from './bubblewrap/mounts.ts';
import { realPath } from './policy/real-path.ts';
import { networkClaims } from './network-claims.ts';
import { isWithin } from './policy/paths.ts';
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

/** Node reports a missing directory where it cannot create several. */
const readOnly =
  /read-only file system|\bEROFS\b|\bENOENT\b.*\bmkdir\b|(?:(?:failed|unable) to|can(?:no|')t|could not) (?:create|push)/i;
/** A mount cannot be removed, nor replaced by a renamed file, as git replaces its settings. */
const busy = /device or resource busy|\bEBUSY\b/i;
const denied = /permission denied|operation not permitted|\bE(?:ACCES|PERM)\b/i;
const localSocket = /unix:\/\/|\blisten E(?:PERM|ACCES)\b|\bsocket\b.*not permitted|AF_UNIX/i;

const gitSettings = '.git/config"';
const editable =
  'An edit of that file may add sections by which git executes nothing: user, remotes, and branches with their upstreams.';

const ownNetwork =
  'has a local network of its own: services of this machine are reached on the ports of sandbox.ports.';
const keptPlaces = 'keeps empty directories at names that agents and editors execute.';
/** Access to these directories. */
const removal = 'removing';

/** Number of lines at the end of the output that are searched. */
const maxLines = 200;
/** Number of hosts and of paths that are named, which a program can make many. */
const maxNames = 10;
const maxPathChars = 200;

/**
 * Returns what a policy has refused. The hosts of the proxy are facts. What only the output names is a claim of the
 * program: a path is named where the mounts refuse it, up to its first part that does not exist.
 */
export function describeRefusals(options: RefusalOptions): Refusal | undefined {
  const { output, policy, hosts } = options;
  const lines = output
    .split('\n')
    .slice(-maxLines)
    .filter((line) => line.length < 2000);
  const network = networkClaims(policy.network === 'on' ? [] : lines);
  const rules = typeof policy.network === 'string' ? { allowed: [] } : policy.network;
  const names = network.hosts.filter((name) => !hosts.includes(name));
  const refused = lines.filter(isRefusal).map((line) => refusedPath(line, options));
  const paths = new Map(refused.filter((claim) => claim !== undefined).map((claim) => [claim.path, claim]));
  const ports = network.ports.filter((port) => !rules.ports?.includes(port)).slice(0, maxNames);
  const claims = [
    ...(names.length === 0 ? [] : [networkHosts(names)]),
    ...[...paths.values()]
      .filter(({ access }) => access !== removal)
      .slice(0, maxNames)
      .map(({ access, path }) => `${access} ${quoted(path)}`),
    ...ports.map((port) => `the port ${port} of this machine`),
    ...(lines.some((line) => localSocket.test(line)) ? ['sockets of the local machine'] : []),
  ];
  const isDenied =
    [...hosts, ...names].some((host) => ruleFor(host, rules) === false) ||
    (policy.denied ?? []).some((path) => [...paths.keys()].some((name) => isWithin(name, realPath(path))));
  const sandbox = `The sandbox (profile ${policy.profile})`;
  const notes = [
    ...(isDenied ? ['A rule denies this.'] : []),
    ...(network.isLocal ? [`${sandbox} ${ownNetwork}`] : []),
    ...([...paths.values()].some(({ access }) => access === removal) ? [`${sandbox} ${keptPlaces}`] : []),
  ];
  return worded(sandbox, { hosts, claims, isDenied, notes, ports });
}

interface Found extends Pick<Refusal, 'claims' | 'isDenied' | 'ports'> {
  readonly hosts: readonly string[];
  /** Further sentences. */
  readonly notes: readonly string[];
}

function worded(sandbox: string, { hosts, claims, isDenied, notes, ports }: Found): Refusal | undefined {
  const known = hosts.length === 0 ? [] : [`${sandbox} refused ${networkHosts(hosts)}.`];
  const may = known.length === 0 ? `${sandbox} may have refused` : 'It may have refused';
  const claimed = claims.length === 0 ? [] : [`${may} ${claims.join(' and ')}, which the output names.`];
  if (known.length + claimed.length + notes.length === 0) return undefined;
  const title = known.length > 0 || claimed.length === 0 ? known : [`${may} what the output names.`];
  const hints = claims.some((claim) => claim.endsWith(gitSettings)) ? [editable] : [];
  return {
    title: [...title, ...notes].join(' '),
    text: [...known, ...claimed, ...notes, ...hints].join(' '),
    claims,
    ports,
    isDenied: isDenied || hosts.length + claims.length === 0,
  };
}

/** Returns the first names of a list. */
function networkHosts(hosts: readonly string[]): string {
  const more = hosts.length - maxNames;
  const names = `${hosts.slice(0, maxNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `the network host${hosts.length === 1 ? '' : 's'} ${names}`;
}

function quoted(path: string): string {
  return JSON.stringify(path.length > maxPathChars ? `${path.slice(0, maxPathChars)}…` : path);
}

function isRefusal(text: string): boolean {
  return [readOnly, busy, denied].some((pattern) => pattern.test(text));
}

/** Returns a path up to its first part that does not exist: what follows may be any text. */
function existingPart(path: string): string {
  const above = dirname(path);
  return above === path || existsSync(path) || existsSync(above) ? path : existingPart(above);
}

/** Returns the path of a message that the mounts refuse, with the kind of access. */
function refusedPath(
  line: string,
  { directory, mounts }: RefusalOptions,
): { readonly access: string; readonly path: string } | undefined {
  const inQuotes = line.split(/['"‘’`]/).filter((_, index) => index % 2 === 1);
  // Most messages are `program: path: reason`; a word alone may be anything.
  const words = line.split(/\s+/).filter((word) => /\/|:$/.test(word));
  const named = words.map((word) => word.replaceAll(/['"():,]/g, '')).toReversed();
  for (const word of [...inQuotes, ...named]) {
    if (word === '' || isRefusal(word)) continue;
    const path = realPath(resolve(directory, word.replace(/^file:\/\//, '')));
    const mount = accessTo(path, mounts);
    // The hidden directory itself: a name below it would report what exists there.
    if (mount?.access === 'hidden') return { access: 'access to', path: mount.path };
    const isMount = mount?.path === path;
    const isRefused = busy.test(line) ? isMount : mount?.access !== 'writable' && readOnly.test(line);
    if (isRefused)
      return { access: busy.test(line) && isMountPoint(path) ? removal : 'writing to', path: existingPart(path) };
  }
  return undefined;
}
