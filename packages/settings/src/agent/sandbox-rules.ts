import { join, resolve } from 'node:path';
import type { PermissionRule } from '@varve/agent/confirmation';

/** Rules that a sandbox holds. */
export interface SandboxRules {
  readonly hidden: readonly string[];
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
}

/**
 * Returns the rules of a person that a sandbox holds: hosts, and denied paths, and directories with all below them. A
 * pattern without a slash is a file of the workspace.
 */
export function sandboxRules(rules: readonly PermissionRule[], workspace: string, userHome: string): SandboxRules {
  const patterns = (on: PermissionRule['on'], decision: PermissionRule['decision']): readonly string[] =>
    rules.filter((rule) => rule.on === on && rule.decision === decision).map(({ pattern }) => pattern);
  const paths = patterns('path', 'deny')
    .map((pattern) => pattern.replace(/\/\*\*$/, ''))
    .filter((pattern) => !/[*?[\]{}]/.test(pattern));
  return {
    hidden: paths.map((path) => (path.startsWith('~/') ? join(userHome, path.slice(2)) : resolve(workspace, path))),
    allowed: patterns('host', 'allow'),
    denied: patterns('host', 'deny'),
  };
}
