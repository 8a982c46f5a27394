import { lstat, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SourceError } from '../sources/read-source.ts';
import { archiveFiles } from './archive-entries.ts';
import { parseSkill } from '../parse-skill.ts';
import { writeFiles, withSkillErrors } from './unpack-archive.ts';

/** Options of {@link installSkills}. */
export interface InstallSkillsOptions {
  /** A `.zip` or `.tar.gz` archive. */
  readonly archive: Buffer;
  /** Existing directory that receives a directory for each skill, such as `~/.varve/skills`. */
  readonly directory: string;
}

/**
 * Installs the skills of an archive: every directory with a `SKILL.md`, also the archive itself. Nothing of it is
 * executed, and nothing is installed unless all of it can be. Returns the names.
 *
 * @throws {SkillError} `invalid` for an archive without a valid skill, with a link, a path that leads outside or more
 * than 500 files or 20 MiB, and for a skill that exists.
 */
export async function installSkills(options: InstallSkillsOptions): Promise<readonly string[]> {
  return withSkillErrors(install(options));
}

async function install({ archive, directory }: InstallSkillsOptions): Promise<readonly string[]> {
  const files = await archiveFiles(archive);
  const skills = await skillsIn(files);
  if (skills.size === 0) throw new SourceError('The archive contains no SKILL.md.');
  const staging = await mkdtemp(join(directory, '.install-'));
  try {
    for (const [name, skillContents] of skills) await writeFiles(join(staging, name), skillContents);
    for (const name of skills.keys()) await checkNew(join(directory, name));
    for (const name of skills.keys()) await rename(join(staging, name), join(directory, name));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return [...skills.keys()].toSorted();
}

/** Returns the files of each skill by its name, with paths relative to it. */
async function skillsIn(
  files: ReadonlyMap<string, Uint8Array>,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>> {
  const marks = [...files.keys()].filter((path) => /(^|\/)skill\.md$/i.test(path));
  const skillsByName = new Map<string, ReadonlyMap<string, Uint8Array>>();
  for (const path of marks) {
    const prefix = path.slice(0, path.lastIndexOf('/') + 1);
    // A skill below another one is one of its files.
    if (marks.some((other) => other !== path && prefix.startsWith(other.slice(0, other.lastIndexOf('/') + 1))))
      continue;
    const text = Buffer.from(files.get(path) ?? []).toString();
    const skillName = prefix.split('/').at(-2) ?? '';
    const name = skillName === '' ? await nameIn(text) : (await parseSkill(text, skillName, 'skill')).name;
    if (skillsByName.has(name)) throw new SourceError(`The archive contains the skill ${name} twice.`);
    const skillFiles = [...files].filter(([file]) => file.startsWith(prefix));
    skillsByName.set(name, new Map(skillFiles.map(([file, content]) => [file.slice(prefix.length), content])));
  }
  return skillsByName;
}

/** Returns the name of a skill whose directory has none. */
async function nameIn(text: string): Promise<string> {
  const { name } = await parseSkill(text, '', 'text');
  return (await parseSkill(text, name, 'skill')).name;
}

async function checkNew(path: string): Promise<void> {
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new SourceError(`There is a skill at ${path} already.`);
}
