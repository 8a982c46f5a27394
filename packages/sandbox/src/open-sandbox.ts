import { bubblewrap, type BackendOptions } from './bubblewrap/bubblewrap.ts';
import type { SandboxPolicy } from './policy/sandbox-policy.ts';
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
  if (platform === 'darwin') return seatbelt(policy);
  if (platform !== 'linux') throw new Error(`There is no sandbox for the system ${platform}.`);
  return bubblewrap(policy, options);
}
