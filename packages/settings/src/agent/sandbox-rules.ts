import { join, resolve } from 'node:path';
import type { PermissionRule } from '@varve/agent/confirmation';
import { findBelow } from '@varve/sandbox';
import { globMatcher } from '@varve/text';

/** Rules that a sandbox holds. */
export interface SandboxRules {
  readonly hidden: readonly string[];
  /** Allowed paths of the home directory, which a sandbox would hide. */
  readonly visible: readonly string[];
  readonly allowed: readonly string[];
  readonly denied: readonly string[];
  /** Allowed ports of services of this machine, which rules name as hosts. */
  readonly ports: readonly number[];
}

/**
 * Returns the rules of a person that a sandbox holds: hosts, and denied paths, and directories with all below them. A
 * pattern without a slash is a name anywhere in the workspace, where it exists now.
 */
export function sandboxRules(rules: readonly PermissionRule[], workspace: string, userHome: string): SandboxRules {
  const patterns = (on: PermissionRule['on'], decision: PermissionRule['decision']): readonly string[] =>
    rules.filter((rule) => rule.on === on && rule.decision === decision).map(({ pattern }) => pattern);
  const denied = patterns('path', 'deny').map((pattern) => pattern.replace(/\/\*\*$/, ''));
  const paths = denied.filter((pattern) => !/[*?[\]{}]/.test(pattern));
  const visible = patterns('path', 'allow').map((pattern) => /^~\/(\.[^*?[\]{}]+?)(?:\/\*\*)?$/.exec(pattern)?.[1]);
  const names = denied
    .filter((pattern) => !pattern.includes('/') && pattern !== '~')
    .map((pattern) => globMatcher(pattern.toLowerCase(), { dot: true }));
  const isDenied = (name: string): boolean => names.some(({ matches }) => matches(name.toLowerCase()));
  return {
    hidden: [
      ...paths.map((path) => (path.startsWith('~/') ? join(userHome, path.slice(2)) : resolve(workspace, path))),
      ...(names.length > 0 ? findBelow(workspace, isDenied) : []),
    ],
    visible: visible.filter((path) => path !== undefined).map((path) => join(userHome, path)),
    allowed: patterns('host', 'allow'),
    denied: patterns('host', 'deny'),
    ports: patterns('host', 'allow')
      .flatMap((pattern) => /^127\.0\.0\.1:(\d+)$/.exec(pattern)?.slice(1) ?? [])
      .map(Number),
  };
}
