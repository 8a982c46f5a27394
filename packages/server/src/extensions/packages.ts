import { join, resolve } from 'node:path';
import type { Variables } from '@varve/text';
import type { DisabledNames } from '../settings/disabled-names.ts';
import { fetchPlugin } from './fetch-plugin.ts';
import type { PackageSource } from './fetch-package.ts';
import { installedPackages, type InstalledPackages } from './installed-packages.ts';
import { pluginPackages, skillPackages, type PackageKind } from './package-kind.ts';
import { pluginsIn, type PluginInfo } from './plugin-list.ts';

/** Options of {@link packages}. */
export interface PackagesOptions {
  /** Home directory of the user: packages are in its `.varve`, where every program of varve finds them. */
  readonly userHome: string;
  readonly workspaceRoot: string;
  readonly env: Variables;
  readonly now: () => number;
  readonly disabled: DisabledNames;
}

/** Skills and plugins that clients install for the user. */
export interface Packages {
  readonly skills: InstalledPackages;
  readonly plugins: InstalledPackages;
  /** Lists plugins of the user and of a project. */
  pluginsOf(places: { readonly user: boolean; readonly project?: string | undefined }): Promise<readonly PluginInfo[]>;
  /**
   * Fetches plugins for one conversation, and returns their directories. Equal ones share a directory.
   *
   * @throws {RequestError} `unsupported` if one cannot be fetched, `invalid` for its content.
   */
  fetchPlugins(sources: readonly PackageSource[], signal: AbortSignal): Promise<readonly string[]>;
  /** Returns the directories of the skills of enabled plugins. */
  pluginSkills(): Promise<readonly string[]>;
}

/** Opens the packages of a user. */
export function packages({ userHome, disabled, ...options }: PackagesOptions): Packages {
  const data = join(userHome, '.varve');
  const open = (kind: PackageKind, name: 'skills' | 'plugins'): InstalledPackages =>
    installedPackages({
      ...options,
      kind,
      directory: join(data, name),
      records: join(data, 'installed', name),
      disabled: () => disabled.read(`${name}.disabled`),
      setEnabled: (changed, enabled) =>
        disabled.change(`${name}.disabled`, (names) => [
          ...names.filter((each) => each !== changed),
          ...(enabled ? [] : [changed]),
        ]),
    });
  const plugins = open(pluginPackages, 'plugins');
  return {
    skills: open(skillPackages, 'skills'),
    plugins,
    async pluginsOf({ user, project }) {
      const root = project === undefined ? undefined : resolve(options.workspaceRoot, project);
      const directories = [
        ...(user ? [join(data, 'plugins')] : []),
        ...(root === undefined ? [] : [join(root, '.varve/plugins'), join(root, '.openhands/plugins')]),
      ];
      return (await Promise.all(directories.map(pluginsIn))).flat();
    },
    fetchPlugins: (sources, signal) =>
      Promise.all(
        sources.map((source) => fetchPlugin(source, { ...options, directory: join(data, 'fetched'), signal })),
      ),
    async pluginSkills() {
      const installed = (await plugins.list()).filter(({ enabled }) => enabled);
      return installed.map(({ install_path: path }) => join(path, 'skills'));
    },
  };
}
