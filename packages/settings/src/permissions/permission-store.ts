import { join } from 'node:path';
import {
  describeRule,
  permissionRule,
  permissionRules,
  ruleProblem,
  type PermissionRule,
} from '@varve/agent/confirmation';
import { realPathOf } from '@varve/tools';
import * as z from 'zod';
import { lazy } from '@varve/events';
import { SettingsError } from '../error.ts';
import { readJsonFile, updateJsonFile } from '../files/update-file.ts';

const file = lazy(() =>
  z.object({
    version: z.literal(1),
    user: permissionRules(),
    projects: z.record(z.string(), permissionRules()),
  }),
);
type File = z.output<ReturnType<typeof file>>;

/** Calls that a rule is for: those of one project, or of all projects of the person. */
export type RuleScope = 'project' | 'user';

/** A rule with its scope. */
export interface StoredRule {
  readonly scope: RuleScope;
  readonly rule: PermissionRule;
}

/**
 * Rules that a person has set or learned, stored in the data directory of varve. A repository contains none: it would
 * allow itself what it needs.
 */
export interface PermissionStore {
  /** Returns the rules of a project and of the person, those of the project first. */
  list(project: string): Promise<readonly StoredRule[]>;
  /**
   * Adds rules that are not there yet.
   *
   * @throws {SettingsError} `invalid` for a rule that is malformed or can never match.
   */
  add(rules: readonly PermissionRule[], scope: RuleScope, project: string): Promise<void>;
  /** Removes a rule, from each scope that has it. Returns false if none has it. */
  remove(rule: PermissionRule, project: string): Promise<boolean>;
}

/** Returns the rules in a data directory, which is absolute. Projects are identified by their path, links resolved. */
export function permissionStore(home: string): PermissionStore {
  const path = join(home, 'permissions.json');
  const update = (change: (content: File) => File) =>
    updateJsonFile(path, file(), (before) => change(before ?? { version: 1, user: [], projects: {} }), {
      lockFile: join(home, 'permissions.lock'),
      mode: 0o600,
    });
  return {
    async list(project) {
      const { user = [], projects = {} } = (await readJsonFile(path, file())) ?? {};
      const key = realPathOf(project);
      const projectRules = Object.hasOwn(projects, key) ? (projects[key] ?? []) : [];
      return [...scoped(projectRules, 'project'), ...scoped(user, 'user')];
    },
    async add(rules, scope, project) {
      const bad = rules.find((rule) => !permissionRule().safeParse(rule).success);
      if (bad) throw new SettingsError('invalid', `The rule ${JSON.stringify(describeRule(bad))} is malformed.`);
      for (const rule of rules) {
        const problem = ruleProblem(rule);
        if (problem !== undefined)
          throw new SettingsError('invalid', `The rule "${describeRule(rule)}" can never match: ${problem}.`);
      }
      await update((content) =>
        withScope(content, scope, realPathOf(project), (before) => distinct([...before, ...rules])),
      );
    },
    async remove(rule, project) {
      let isRemoved = false;
      const without = (before: readonly PermissionRule[]): readonly PermissionRule[] => {
        const kept = before.filter((earlier) => describeRule(earlier) !== describeRule(rule));
        isRemoved ||= kept.length < before.length;
        return kept;
      };
      const key = realPathOf(project);
      await update((content) => withScope(withScope(content, 'user', key, without), 'project', key, without));
      return isRemoved;
    },
  };
}

function withScope(
  { user, projects, version }: File,
  scope: RuleScope,
  project: string,
  change: (rules: readonly PermissionRule[]) => readonly PermissionRule[],
): File {
  if (scope === 'user') return { version, projects, user: change(user) };
  const { [project]: before = [], ...others } = projects;
  const changed = change(before);
  return { version, user, projects: changed.length > 0 ? { ...others, [project]: changed } : others };
}

function scoped(rules: readonly PermissionRule[], scope: RuleScope): readonly StoredRule[] {
  return rules.map((rule) => ({ scope, rule }));
}

function distinct(rules: readonly PermissionRule[]): readonly PermissionRule[] {
  return [...new Map(rules.map((rule) => [describeRule(rule), rule])).values()];
}
