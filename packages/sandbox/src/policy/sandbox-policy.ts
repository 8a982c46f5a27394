/**
 * Hosts that programs may reach through a proxy: names, or `*.name` for all below a name. `denied` takes precedence.
 */
export interface AllowedHosts {
  readonly allowed: readonly string[];
  readonly denied?: readonly string[];
  /** Ports of services of this machine, which programs reach at `127.0.0.1`. */
  readonly ports?: readonly number[];
}

/**
 * What programs may do. Everything that is not named is readable, and nothing that is not named can be written. Paths
 * are absolute; the longest one that contains a file decides.
 */
export interface SandboxPolicy {
  /** Name of the policy in messages and logs. */
  readonly profile: string;
  readonly writable: readonly string[];
  /** Paths inside of writable ones that cannot be written, whether they exist or not. */
  readonly readOnly: readonly string[];
  /** The same where they are: a directory around one can be renamed with it, and is no mount of its own. */
  readonly inPlace?: readonly string[];
  /** Files and directories that cannot be read. */
  readonly hidden: readonly string[];
  /** Further hidden paths, where they are, about which no question is asked, as about denied hosts. */
  readonly denied?: readonly string[];
  readonly network: 'off' | 'on' | AllowedHosts;
}

/** Returns a policy with further paths of a program. */
export function withFurther(
  policy: SandboxPolicy,
  { readOnly, writable }: Pick<SandboxPolicy, 'readOnly' | 'writable'>,
): SandboxPolicy {
  return { ...policy, readOnly: [...policy.readOnly, ...readOnly], writable: [...policy.writable, ...writable] };
}
