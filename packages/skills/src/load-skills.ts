import { join } from 'node:path';
import { gitRoot } from '@varve/files';
import { cursorDirectory } from './cursor-rule.ts';
import { fileBudget } from './sources/file-budget.ts';
import { SourceError, type SourceProblem, type SourceRoot } from './sources/read-source.ts';
import { trustNothing, type TrustPredicate } from './sources/trust.ts';
import { findSkillFiles, type SkillFile } from './find-skill-files.ts';
import { readSkill, type ReadSkill } from './read-skill.ts';
import type { Skill } from './skill.ts';

/** Options of {@link loadSkills}. */
export interface LoadSkillsOptions {
  /** Absolute path. */
  readonly workspace: string;
  /** Home directory of the user; absent, the user has no skills. */
  readonly home?: string;
  /** Directories of skills that others published, for example a checkout; the first with a name wins. */
  readonly publicDirectories?: readonly string[];
  /** Names of skills that are left out. */
  readonly disabled?: readonly string[];
  /** Decides about each skill that executes something; default none is trusted. */
  readonly trusted?: TrustPredicate;
}

/** Skills of a workspace and its user. */
export interface LoadedSkills {
  /** Each name once, sorted by name: an option of `defineAgent`. */
  readonly skills: readonly Skill[];
  readonly problems: readonly SourceProblem[];
}

/** Maximum number of skills of an agent. */
export const maxSkills = 100;

const projectDirectories = [
  '.varve/skills',
  '.agents/skills',
  '.openhands/skills',
  '.openhands/microagents',
  '.claude/skills',
  cursorDirectory,
];

/**
 * Loads the skills of the workspace, of the git repository around it, of the user, and public ones. The first with a
 * name in this order is used, so that a project replaces what its user has. Within a directory a `SKILL.md` precedes a
 * file. A file with an error is a problem, and does not prevent others. Rules of Cursor are skills too.
 *
 * @see software-agent-sdk load_project_skills, load_user_skills
 */
export async function loadSkills(options: LoadSkillsOptions): Promise<LoadedSkills> {
  const { workspace, home, publicDirectories = [], disabled = [], trusted = trustNothing } = options;
  const project = [...new Set([workspace, (await gitRoot(workspace)) ?? workspace])];
  const roots: readonly (readonly [SourceRoot, string])[] = [
    ...project.filter((directory) => directory !== home).flatMap((directory) => below({ directory, scope: 'project' })),
    ...(home === undefined ? [] : below({ directory: home, scope: 'user' })),
    ...publicDirectories.map((directory) => [{ directory, scope: 'user' }, '.'] as const),
  ];
  const byName = new Map<string, Skill>();
  const problems: SourceProblem[] = [];
  const budget = fileBudget('skills', workspace);
  for (const [root, directory] of roots) {
    for (const file of await findSkillFiles(root, directory)) {
      if (!budget.reads(root)) continue;
      const loaded = await loadFile(root, file, trusted);
      problems.push(...loaded.problems);
      const { skill } = loaded;
      if (skill && !byName.has(skill.name) && !disabled.includes(skill.name)) byName.set(skill.name, skill);
    }
  }
  const all = [...byName.values()];
  const excess = all.slice(maxSkills).map(({ name, path = '' }): SourceProblem => {
    return { path, message: `The skill ${name} is left out: an agent has at most ${maxSkills}.` };
  });
  const { fitting, left } = withinLimit(all.slice(0, maxSkills));
  const skills = fitting.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { skills, problems: [...problems, ...budget.problems(), ...excess, ...left] };
}

/** Maximum length of the texts that always apply, together, in UTF-16 units: they are part of every request. */
const maxAlwaysLength = 60_000;

/** Leaves out the skills that always apply and exceed the limit together with those before them. */
function withinLimit(skills: readonly Skill[]) {
  const fitting: Skill[] = [];
  const left: SourceProblem[] = [];
  let length = 0;
  for (const skill of skills) {
    const { name, path = '', content, isListed, trigger } = skill;
    const added = isListed || trigger ? 0 : content.length;
    if (length + added <= maxAlwaysLength) {
      length += added;
      fitting.push(skill);
    } else {
      const message = `The skill ${name} is left out: texts that always apply have at most ${maxAlwaysLength} characters together.`;
      left.push({ path, message });
    }
  }
  return { fitting, left };
}

function below(root: SourceRoot): readonly (readonly [SourceRoot, string])[] {
  return projectDirectories.map((directory) => [root, directory] as const);
}

async function loadFile(
  root: SourceRoot,
  file: SkillFile,
  trusted: TrustPredicate,
): Promise<Partial<ReadSkill> & Pick<ReadSkill, 'problems'>> {
  try {
    return await readSkill(root, file, trusted);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { problems: [error.at(join(root.directory, file.path))] };
  }
}
