import { tmpdir } from 'node:os';
import { bubblewrap, type BackendOptions } from './bubblewrap/bubblewrap.ts';
import type { SandboxPolicy } from './policy/sandbox-policy.ts';
import { privateDirectory } from './private-directory.ts';
import type { Sandbox } from './sandbox.ts';
import { seatbelt } from './seatbelt/seatbelt.ts';

/** Options of {@link openSandbox}. */
export interface SandboxOptions extends BackendOptions {
  /** Default: that of this process. */
  readonly platform?: NodeJS.Platform;
}

/**
 * Returns the sandbox of this system. Call {@link sandboxProblem} before: it reports whether there is one.
 *
 * @throws {Error} when the system has no sandbox.
 */
export function openSandbox(policy: SandboxPolicy, options: SandboxOptions = {}): Sandbox {
  const { platform = process.platform } = options;
  const own = privateDirectory();
  const walls = own === tmpdir() ? policy : { ...policy, hidden: [...policy.hidden, own] };
  if (platform === 'darwin') return seatbelt(walls);
  if (platform !== 'linux') throw new Error(`There is no sandbox for the system ${platform}.`);
  return bubblewrap(walls, options);
}
