import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { loadSkills } from '@varve/skills';
import { parseJson } from '@varve/text';
import { RequestError } from '../error.ts';
import { archiveFiles } from './archive-files.ts';
import { unpackArchive, writeFiles } from './unpack-archive.ts';

/** A package in a directory of its own. */
export interface UnpackedPackage {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly directory: string;
}

/** Kind of packages. */
export interface PackageKind {
  /** Name of the kind in messages. */
  readonly label: 'Skill' | 'Plugin';
  /** Unpacks the one package of an archive into an empty directory. @throws {RequestError} `invalid`. */
  unpack(archive: Buffer, directory: string): Promise<UnpackedPackage>;
}

/** Name of an installed package, which is the name of its directory. */
export const packageName = lazy(() =>
  z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/),
);

/** Directories with a `SKILL.md`. */
export const skillPackages: PackageKind = {
  label: 'Skill',
  async unpack(archive, directory) {
    const files = await archiveFiles(archive);
    const [root, ...others] = skillRoots([...files.keys()]);
    if (root === undefined) throw new RequestError('invalid', 'The archive contains no SKILL.md.');
    if (others.length > 0)
      throw new RequestError('invalid', 'The source contains several skills; repo_path names one of them.');
    const unpacked = join(directory, '.unpacked');
    // A skill that is the archive itself has no directory that could be its name.
    const skillDirectory = join(unpacked, root.split('/').at(-2) ?? '_');
    const ownFiles = [...files].filter(([path]) => path.startsWith(root));
    await mkdir(unpacked);
    await writeFiles(skillDirectory, new Map(ownFiles.map(([path, content]) => [path.slice(root.length), content])));
    const { skills, problems } = await loadSkills({
      workspace: join(directory, 'none'),
      publicDirectories: [unpacked],
    });
    const [skill] = skills;
    if (!skill) throw new RequestError('invalid', problems[0]?.message ?? 'The archive contains no skill.');
    const { name, version, description = '' } = skill;
    return { name, version, description, directory: skillDirectory };
  },
};

/** Returns the directories with a `SKILL.md`, with a `/` at their ends; one below another is a part of that skill. */
function skillRoots(paths: readonly string[]): readonly string[] {
  const roots = paths.filter((path) => /(^|\/)skill\.md$/i.test(path)).map((path) => path.slice(0, -'skill.md'.length));
  return roots.filter((root) => !roots.some((other) => other !== root && root.startsWith(other)));
}

const manifest = lazy(() =>
  z.object({
    name: packageName(),
    version: z.string().default(''),
    description: z.string().default(''),
  }),
);

/** Places of the manifest of a plugin. @see software-agent-sdk Plugin, Claude Code plugins */
const manifests = ['.plugin/plugin.json', '.claude-plugin/plugin.json'];

/** Directories with a manifest of a plugin. */
export const pluginPackages: PackageKind = {
  label: 'Plugin',
  async unpack(archive, directory) {
    const unpacked = join(directory, '.unpacked');
    await unpackArchive({ archive, directory: unpacked });
    const entries = await readdir(unpacked);
    // An archive may contain one directory around the plugin.
    const root = (await manifestOf(unpacked))
      ? unpacked
      : join(unpacked, entries.length === 1 ? (entries[0] ?? '') : '');
    const description = await manifestOf(root);
    if (!description) throw new RequestError('invalid', 'The source has no valid manifest of a plugin.');
    const target = join(directory, description.name);
    await rename(root, target);
    return { ...description, directory: target };
  },
};

/** Returns the manifest of a plugin; undefined without a valid one. */
export async function manifestOf(directory: string): Promise<z.output<ReturnType<typeof manifest>> | undefined> {
  for (const path of manifests) {
    const text = await readFile(join(directory, path), 'utf8').catch(() => undefined);
    if (text !== undefined) return manifest().safeParse(parseJson(text)).data;
  }
  return undefined;
}
