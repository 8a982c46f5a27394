import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { loadSkills } from '@varve/skills';
import { manifestOf } from './package-kind.ts';

/** A plugin as clients list it. @see agent-server 1.43.1 OpenAPI, PluginInfo */
export const pluginInfo = lazy(() =>
  z
    .object({
      name: z.string(),
      version: z.string(),
      description: z.string(),
      path: z.string(),
      skills: z.array(z.object({ name: z.string(), description: z.string().nullable() })),
      /** Paths relative to the plugin. */
      files: z.array(z.string()),
    })
    .openapi('PluginInfo'),
);
export type PluginInfo = z.output<ReturnType<typeof pluginInfo>>;

const maxFiles = 500;

/** Lists the plugins in a directory: its directories with a valid manifest. A missing directory has none. */
export async function pluginsIn(directory: string): Promise<readonly PluginInfo[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
  const plugins = await Promise.all(names.toSorted().map((name) => pluginAt(join(directory, name))));
  return plugins.flatMap((plugin) => plugin ?? []);
}

/** Returns the plugin in a directory; undefined without a valid manifest. */
export async function pluginAt(path: string): Promise<PluginInfo | undefined> {
  const manifest = await manifestOf(path);
  if (!manifest) return undefined;
  const { skills } = await loadSkills({ workspace: join(path, '.none'), publicDirectories: [join(path, 'skills')] });
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return {
    ...manifest,
    path,
    skills: skills.map(({ name, description }) => ({ name, description: description ?? null })),
    files: files
      .slice(0, maxFiles)
      .map((file) => relative(path, file))
      .toSorted(),
  };
}
