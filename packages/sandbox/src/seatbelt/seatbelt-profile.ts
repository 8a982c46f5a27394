import { type Mount } from '../bubblewrap/mounts.ts';
import { realPath } from '../policy/real-path.ts';
import type { SandboxPolicy } from '../policy/sandbox-policy.ts';

/** Services of macOS without which ordinary programs do not start. */
const services = [
  'com.apple.cfprefsd.agent',
  'com.apple.cfprefsd.daemon',
  'com.apple.logd',
  'com.apple.system.logger',
  'com.apple.system.notification_center',
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.trustd.agent',
];

/**
 * Returns a profile in the language of Seatbelt. The last rule that matches decides, so the rules follow the order of
 * the mounts: a longer path after the shorter one that contains it. Rules about paths also hold for files that do not
 * exist.
 */
export function seatbeltProfile(policy: SandboxPolicy, mounts: readonly Mount[]): string {
  const absent = policy.readOnly
    .map((path) => realPath(path))
    .filter((path) => !mounts.some((mount) => mount.path === path));
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-exec process-fork)',
    '(allow signal process-info* (target same-sandbox))',
    '(allow sysctl-read)',
    '(allow pseudo-tty)',
    '(allow ipc-posix-sem ipc-posix-shm)',
    `(allow mach-lookup ${services.map((name) => `(global-name ${quoted(name)})`).join(' ')})`,
    '(allow file-read*)',
    '(allow file-ioctl (regex #"^/dev/tty") (literal "/dev/ptmx"))',
    '(allow file-write* (regex #"^/dev/(null|zero|tty.*|ptmx|dtracehelper|fd/.*)$"))',
    ...mounts.map(rulesOf),
    ...absent.map((path) => `(deny file-write* (subpath ${quoted(path)}))`),
    ...networkRules(policy.network),
  ].join('\n');
}

function rulesOf({ path, access }: Mount): string {
  const where = `(subpath ${quoted(path)})`;
  if (access === 'writable') return `(allow file-read* file-write* ${where})`;
  return access === 'hidden' ? `(deny file-read* file-write* ${where})` : `(deny file-write* ${where})`;
}

/** Local servers stay reachable; sockets of files do not. */
function networkRules(network: SandboxPolicy['network']): readonly string[] {
  if (network === 'on')
    return ['(allow network-outbound (remote ip))', '(allow network-bind network-inbound (local ip))'];
  return [
    '(allow network-bind network-inbound (local ip "localhost:*"))',
    '(allow network-outbound (remote ip "localhost:*"))',
  ];
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
