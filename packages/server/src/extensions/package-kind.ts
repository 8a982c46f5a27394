import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { SkillError, installSkills, loadSkills, unpackArchive } from '@varve/skills';
import { parseJson } from '@varve/text';
import { RequestError } from '../error.ts';

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
    const unpacked = join(directory, '.unpacked');
    await mkdir(unpacked);
    const [name, ...others] = await refused(installSkills({ archive, directory: unpacked }));
    if (name === undefined || others.length > 0)
      throw new RequestError('invalid', 'The source contains several skills; repo_path names one of them.');
    const { skills } = await loadSkills({ workspace: join(directory, 'none'), publicDirectories: [unpacked] });
    const [{ version, description = '' } = { version: '' }] = skills;
    return { name, version, description, directory: join(unpacked, name) };
  },
};

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
    await refused(unpackArchive({ archive, directory: unpacked }));
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

async function refused<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof SkillError) || error.code !== 'invalid') throw error;
    throw new RequestError('invalid', error.message, { cause: error });
  }
}
