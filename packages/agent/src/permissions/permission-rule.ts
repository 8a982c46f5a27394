import * as z from 'zod';
import { lazy } from '@varve/events';

/** Subjects of a rule. */
export const ruleSubjects = ['tool', 'command', 'path', 'host'] as const;

/** Schema of {@link PermissionRule}. */
export const permissionRule = lazy(() =>
  z.strictObject({
    decision: z.enum(['allow', 'ask', 'deny']),
    on: z.enum(ruleSubjects),
    pattern: z
      .string()
      .max(1000)
      .refine((text) => text.trim() === text && text !== '' && !/[\0\r\n]/.test(text)),
  }),
);

/**
 * Permission that a person has given or refused. `deny` takes precedence over `ask`, and `ask` over `allow`.
 *
 * `pattern` is, by `on`:
 * - `tool`: the name of a tool; `*` at its end matches the rest of a name.
 * - `command`: the first words of a shell command, separated by blanks; `*` at its end means any further words. It is
 *   compared with the commands of scripts that are plain words.
 * - `path`: a glob of files, relative to the workspace, absolute, or below `~/`. Without a slash it is a file name
 *   anywhere. A directory includes everything below it.
 * - `host`: the name of a host; `*.example.com` matches all below it.
 */
export interface PermissionRule {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly on: (typeof ruleSubjects)[number];
  readonly pattern: string;
}

/** Schema of a list of rules. */
export const permissionRules = lazy((): z.ZodType<readonly PermissionRule[]> => z.array(permissionRule()).max(1000));

/** Returns why a rule can never match, as a clause; undefined for a rule that can. */
export function ruleProblem({ on, pattern }: PermissionRule): string | undefined {
  if (on === 'command') {
    const words = pattern.split(/\s+/).slice(0, -1);
    if (pattern === '*') return 'it names no program: a rule for the tool `terminal` is for all commands';
    if (words.some((word) => word.includes('*'))) return '`*` means any further words, at its end only';
    return /[|&;<>$`(){}"'\\]/.test(pattern) ? 'a command rule is compared with single words' : undefined;
  }
  if (on === 'host') return /^(?:\*\.)?[\w.:[\]-]+$/.test(pattern) ? undefined : 'it is not the name of a host';
  if (on === 'tool')
    return /^[^*\s]+\*?$|^\*$/.test(pattern) ? undefined : '`*` is the rest of a name, at its end only';
  return undefined;
}

/** Returns a rule as people write it: `deny command git push`. */
export function describeRule({ decision, on, pattern }: PermissionRule): string {
  return `${decision} ${on} ${pattern}`;
}
