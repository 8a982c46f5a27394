import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { bubblewrap } from './bubblewrap/bubblewrap.ts';
import { findProgram } from './bubblewrap/find-program.ts';
import type { SandboxPolicy } from './policy/sandbox-policy.ts';
import type { Sandbox } from './sandbox.ts';
import { seatbelt, seatbeltProgram } from './seatbelt/seatbelt.ts';

/** Policy of the probe: the least that every other one also needs. */
const policy: SandboxPolicy = { profile: 'probe', writable: [], readOnly: [], hidden: [], network: 'off' };

const timeoutMs = 10_000;

/** Resolves to the reason why programs cannot run in a sandbox here, with the remedy; to undefined when they can. */
export async function sandboxProblem(platform: NodeJS.Platform = process.platform): Promise<string | undefined> {
  if (platform === 'darwin')
    return existsSync(seatbeltProgram) ? problemOf(seatbelt(policy)) : `The program ${seatbeltProgram} is missing.`;
  if (platform !== 'linux') return `There is no sandbox for the system ${platform}; on Windows use WSL 2.`;
  if (findProgram('bash') === undefined) return 'The sandbox needs bash; install the package bash.';
  if (findProgram('bwrap') === undefined)
    return 'The sandbox needs bubblewrap 0.8 or later; install the package bubblewrap, for example with apt, dnf, pacman or apk.';
  if (!['x64', 'arm64'].includes(process.arch)) return `There is no sandbox for the processor ${process.arch}.`;
  return problemOf(bubblewrap(policy));
}

/** Runs a command in the sandbox. */
async function problemOf(sandbox: Sandbox): Promise<string | undefined> {
  try {
    const { program, args, env } = sandbox.wrap(['/bin/sh', '-c', 'echo inside'], { directory: '/', env: {} });
    return await new Promise((resolve) => {
      execFile(program, args, { env, timeout: timeoutMs }, (error, stdout, stderr) => {
        const message = typeof error?.code === 'string' || error?.killed ? error.message : stderr.trim();
        resolve(stdout === 'inside\n' ? undefined : explain(message, readSetting));
      });
    });
  } finally {
    sandbox.close();
  }
}

/** Returns a sentence for a message of bubblewrap. `setting` reads a file; undefined when it does not exist. */
export function explain(message: string, setting: (path: string) => string | undefined): string {
  const restricted = setting('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') === '1';
  if (/unknown option/i.test(message)) return 'The sandbox needs bubblewrap 0.8 or later; a newer package is required.';
  if (setting('/proc/sys/kernel/unprivileged_userns_clone') === '0')
    return 'The system forbids user namespaces; allow them with sysctl -w kernel.unprivileged_userns_clone=1.';
  if (setting('/proc/sys/user/max_user_namespaces') === '0')
    return 'The system forbids user namespaces; allow them with sysctl -w user.max_user_namespaces=15000.';
  if (restricted && /permission denied|not permitted|no permissions/i.test(message))
    return 'AppArmor forbids user namespaces, as on Ubuntu 24.04; load a profile for /usr/bin/bwrap that allows userns, or run sysctl -w kernel.apparmor_restrict_unprivileged_userns=0.';
  const isContainer = setting('/.dockerenv') !== undefined || setting('/run/.containerenv') !== undefined;
  if (isContainer)
    return `This container forbids a sandbox in it (${message}); start it with --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined, or treat the container as the sandbox.`;
  return `The sandbox does not work here: ${message || 'bubblewrap ended without a message.'}`;
}

function readSetting(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}
