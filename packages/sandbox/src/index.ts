export { openSandbox, type SandboxOptions } from './open-sandbox.ts';
export type { AllowedHosts, SandboxLimits, SandboxPolicy } from './policy/sandbox-policy.ts';
export { credentialPaths, defaultHosts } from './policy/paths.ts';
export { profilePolicy, sandboxProfiles, type ProfileOptions, type SandboxProfile } from './policy/profiles.ts';
export { sandboxProblem } from './probe.ts';
export type { AskHost } from './proxy/proxy.ts';
export type { Sandbox, WrapOptions, WrappedCommand } from './sandbox.ts';
