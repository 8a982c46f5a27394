import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { SandboxPolicy } from '../policy/sandbox-policy.ts';
import { isWithin, settingsPlaces } from '../policy/paths.ts';
import type { Mount } from './mounts.ts';
import { descriptors, proxyPort } from './launcher.ts';

/** Settings with tokens, without which package managers work, but not if they cannot read them. */
const registrySettings = new Set(['.npmrc', '.yarnrc.yml', '.bunfig.toml', '.gemrc', '.condarc', '.curlrc', '.wgetrc']);

/** Options of {@link bubblewrapArguments}. */
export interface BubblewrapOptions {
  readonly mounts: readonly Mount[];
  readonly network: SandboxPolicy['network'];
  readonly directory: string;
  /** Paths of files that cover hidden ones: one that cannot be read, and one for settings that programs must read. */
  readonly covers: { readonly unreadable: string; readonly empty: string };
  /** Variables that only programs inside have. */
  readonly variables: Readonly<Record<string, string>>;
  readonly newSession: boolean;
}

/** Returns the options of bubblewrap up to the command. */
export function bubblewrapArguments(options: BubblewrapOptions): readonly string[] {
  const { mounts, network, directory, covers, variables, newSession } = options;
  return [
    // Programs see no other process, and no network but their own. In a namespace of control groups, Java fails on
    // systems with their first version.
    '--unshare-ipc --unshare-pid --unshare-uts --unshare-user --disable-userns --die-with-parent --cap-drop ALL',
    ...(network === 'on' ? [] : ['--unshare-net']),
    ...(newSession ? ['--new-session'] : []),
    `--seccomp ${descriptors.seccomp}`,
    // In /proc, root may write settings of the kernel without capabilities, such as the program for core dumps.
    // Below /run are sockets of services, and files of the user's session.
    '--ro-bind / / --dev /dev --proc /proc --remount-ro /proc --tmpfs /run',
  ]
    .join(' ')
    .split(' ')
    .concat(
      network === 'on' ? resolverArguments() : [],
      mounts.flatMap((mount) => mountArguments(mount, mounts, covers)),
      mounts.filter(isHiddenDirectory).flatMap(({ path }) => ['--remount-ro', path]),
      Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
      ['--chdir', directory],
    );
}

function isHiddenDirectory({ path, access, kind }: Mount): boolean {
  return access === 'hidden' && kind === 'directory' && !isSettingsPlace(path);
}

/** Reports whether programs expect to create files in a directory: in a hidden one, they are gone with the sandbox. */
function isSettingsPlace(path: string): boolean {
  return settingsPlaces.some((place) => path.endsWith(`/${place}`));
}

function mountArguments(
  { path, access, kind }: Mount,
  mounts: readonly Mount[],
  covers: BubblewrapOptions['covers'],
): string[] {
  if (access !== 'hidden') return [access === 'writable' ? '--bind' : '--ro-bind', path, path];
  if (kind === 'file')
    return ['--ro-bind', registrySettings.has(basename(path)) ? covers.empty : covers.unreadable, path];
  if (isSettingsPlace(path)) return ['--perms', '0700', '--tmpfs', path];
  const hasVisible = mounts.some((other) => other.path !== path && isWithin(other.path, path));
  return ['--perms', hasVisible ? '0111' : '0000', '--tmpfs', path];
}

/** Returns the mount of the addresses of name servers, which many systems keep below `/run`. */
function resolverArguments(): readonly string[] {
  try {
    const file = realpathSync('/etc/resolv.conf');
    return isWithin(file, '/run') ? ['--ro-bind', file, file] : [];
  } catch {
    return [];
  }
}

/** Returns the variables that lead programs with some environment to the proxy. */
export function proxyVariables(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${proxyPort}`;
  const java = ['http', 'https'].map((name) => `-D${name}.proxyHost=127.0.0.1 -D${name}.proxyPort=${proxyPort}`);
  const options = (name: string): string => [env[name] ?? '', ...java].join(' ').trim();
  const direct = 'localhost,127.0.0.1,::1';
  const upper = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: direct };
  const lower = Object.fromEntries(Object.entries(upper).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...upper,
    ...lower,
    NODE_USE_ENV_PROXY: '1',
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    YARN_HTTP_PROXY: url,
    YARN_HTTPS_PROXY: url,
    MAVEN_OPTS: options('MAVEN_OPTS'),
    GRADLE_OPTS: options('GRADLE_OPTS'),
  };
}
