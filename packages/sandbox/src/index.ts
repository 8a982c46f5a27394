export { openSandbox } from './open-sandbox.ts';
export type { SandboxPolicy } from './policy/sandbox-policy.ts';
export { credentialPaths, defaultHosts } from './policy/paths.ts';
export { findBelow } from './policy/find-below.ts';
export { profilePolicy } from './policy/profiles.ts';
export type { UpstreamProxy } from './proxy/proxy.ts';
export { privateDirectory } from './private-directory.ts';
export { sandboxProblem } from './probe.ts';
export type { Refusal, Sandbox, WrapOptions, WrappedCommand } from './sandbox.ts';
