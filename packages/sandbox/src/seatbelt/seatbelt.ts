import { describeRefusals } from '../refusals.ts';
import { mountsOf } from '../bubblewrap/mounts.ts';
import { withFurther, type SandboxPolicy } from '../policy/sandbox-policy.ts';
import type { Sandbox } from '../sandbox.ts';
import { seatbeltProfile } from './seatbelt-profile.ts';

/** Path of the program of macOS that runs a command with a profile. */
export const seatbeltProgram = '/usr/bin/sandbox-exec';

/**
 * Returns a sandbox of Seatbelt, which is part of macOS. It has no proxy: with allowed hosts the network is off.
 * Programs in their own sessions survive.
 */
export function seatbelt(policy: SandboxPolicy): Sandbox {
  return {
    policy,
    wrap(argv, { env, marks = {}, readOnly = [], writable = [] }) {
      const confined = withFurther(policy, { readOnly, writable });
      return {
        program: seatbeltProgram,
        args: ['-p', seatbeltProfile(confined, mountsOf(confined)), ...argv],
        env: { ...env, ...marks },
      };
    },
    describeRefusals: (output, directory) =>
      describeRefusals({ output, directory, policy, mounts: mountsOf(policy), hosts: [] }),
    openPort: async () => false,
    close: () => undefined,
  };
}
