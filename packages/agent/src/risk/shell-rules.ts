import type { ShellCommand } from './read-shell.ts';
import { runsCode } from './unwrap-command.ts';

/** Rule for dangerous shell commands. */
export interface ShellRule {
  /** The reference's id of the detector, if it has one. */
  readonly id: string;
  readonly risk: 'MEDIUM' | 'HIGH';
  matches(command: ShellCommand): boolean;
}

/** Reports whether a command has an option: alone, in a cluster of short options, or in its long form. */
function has({ args }: ShellCommand, short: string, long?: string): boolean {
  const cluster = new RegExp(`^-[a-zA-Z]*${short}`);
  return args.some((arg) => cluster.test(arg) || (long !== undefined && arg === long));
}

function hasName(...names: readonly string[]): (command: ShellCommand) => boolean {
  const set = new Set(names);
  return ({ name }) => set.has(name);
}

function verb({ args }: ShellCommand): string | undefined {
  return args.find((arg) => !arg.startsWith('-'));
}

const fetches = hasName('curl', 'wget');
const systemPath =
  /^(?:\/(?:(?:etc|usr|bin|sbin|lib|lib64|boot|sys|proc)(?:\/.*)?|var|root|home(?:\/[^/]*)?)?|~|\$\{?HOME\}?)\/?\*?$/;
const device = /^\/dev\/(?!null$|std|fd\/|tty|zero$|full$|u?random$)/;
const credentials =
  /(?:\/|^)(?:\.ssh\/(?!known_hosts|config$)|\.aws\/credentials|\.netrc|\.git-credentials|\.docker\/config\.json)|^\/etc\/shadow/;
const startupFile = /(?:\/|^)(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.ssh\/authorized_keys)$/;

/**
 * Rules for shell commands, most specific first.
 *
 * @see software-agent-sdk PatternSecurityAnalyzer, PolicyRailSecurityAnalyzer: detectors with the same ids
 */
export const shellRules: readonly ShellRule[] = [
  {
    id: 'exec.destruct.rm_rf',
    risk: 'HIGH',
    matches: (one) => one.name === 'rm' && has(one, '[rR]', '--recursive') && has(one, 'f', '--force'),
  },
  {
    id: 'catastrophic-delete',
    risk: 'HIGH',
    matches: (one) => one.name === 'rm' && one.args.some((arg) => systemPath.test(arg)),
  },
  {
    id: 'exec.destruct.mkfs',
    risk: 'HIGH',
    matches: ({ name }) => /^mkfs(?:\.|$)|^(?:wipefs|fdisk|parted|sgdisk)$/.test(name),
  },
  {
    id: 'exec.destruct.dd_raw_disk',
    risk: 'HIGH',
    matches: ({ name, args, writes }) =>
      (name === 'dd' && args.some((arg) => arg.startsWith('of=') && device.test(arg.slice(3)))) ||
      (name === 'shred' && args.length > 0) ||
      writes.some((file) => device.test(file)),
  },
  {
    id: 'exec.net.curl_pipe_exec',
    risk: 'HIGH',
    matches: (one) => fetches(one) && one.feeds.some(runsCode),
  },
  {
    id: 'write.system',
    risk: 'HIGH',
    matches: ({ name, args, writes }) =>
      [...writes, ...(name === 'tee' ? args : [])].some(
        (file) => /^\/(?:etc|usr|bin|sbin|lib|boot)\//.test(file) || startupFile.test(file),
      ),
  },
  {
    id: 'permissions.system',
    risk: 'HIGH',
    matches: (one) =>
      hasName('chmod', 'chown', 'chgrp')(one) &&
      has(one, 'R', '--recursive') &&
      one.args.some((arg) => systemPath.test(arg)),
  },
  { id: 'read.credentials', risk: 'HIGH', matches: ({ args }) => args.some((arg) => credentials.test(arg)) },
  { id: 'machine.stop', risk: 'HIGH', matches: hasName('shutdown', 'reboot', 'halt', 'poweroff', 'init') },
  {
    id: 'git.force_push',
    risk: 'HIGH',
    matches: (one) =>
      one.name === 'git' &&
      verb(one) === 'push' &&
      one.args.some((arg) => /^(?:-f|--force.*|--mirror|--delete|\+.+)$/.test(arg)),
  },
  { id: 'exec.net.curl', risk: 'MEDIUM', matches: fetches },
  {
    id: 'exec.net.other',
    risk: 'MEDIUM',
    matches: hasName('ssh', 'scp', 'sftp', 'rsync', 'nc', 'ncat', 'netcat', 'telnet', 'ftp'),
  },
  { id: 'privilege', risk: 'MEDIUM', matches: hasName('sudo', 'doas', 'su', 'pkexec') },
  {
    id: 'delete',
    risk: 'MEDIUM',
    matches: (one) => hasName('rm', 'unlink', 'truncate')(one) || (one.name === 'find' && one.args.includes('-delete')),
  },
  { id: 'permissions', risk: 'MEDIUM', matches: hasName('chmod', 'chown', 'chgrp', 'setfacl') },
  {
    id: 'processes',
    risk: 'MEDIUM',
    matches: hasName('kill', 'pkill', 'killall', 'systemctl', 'service', 'crontab', 'at'),
  },
  { id: 'containers', risk: 'MEDIUM', matches: hasName('docker', 'podman', 'kubectl', 'helm', 'terraform') },
  {
    id: 'git.discard',
    risk: 'MEDIUM',
    matches: (one) => {
      if (one.name !== 'git') return false;
      const what = verb(one) ?? '';
      return what === 'push' || what === 'clean' || (what === 'reset' && one.args.includes('--hard'));
    },
  },
  {
    id: 'install',
    risk: 'MEDIUM',
    matches: (one) =>
      hasName('apt', 'apt-get', 'dnf', 'yum', 'apk', 'pacman', 'brew', 'snap')(one) ||
      (hasName('npm', 'pnpm', 'yarn', 'pip', 'pip3', 'uv', 'cargo', 'gem', 'go')(one) &&
        ['install', 'i', 'add', 'publish', 'uninstall', 'remove'].includes(verb(one) ?? '')),
  },
];
