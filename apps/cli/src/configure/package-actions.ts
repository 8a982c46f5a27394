import { editSettings } from '@varve/settings';
import { packages, type InstalledPackage, type InstalledPackages } from '@varve/server/hosting';
import { settingsFor } from '../home/settings.ts';
import { userHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { targetFile } from './config-actions.ts';

/** Kind of packages. */
export type PackageKind = 'skills' | 'plugins';

/** Options of an installation. */
export interface InstallOptions {
  readonly ref?: string;
  readonly path?: string;
  readonly force?: true;
}

/** Installs a package from a directory, an archive or a repository, and prints its name. */
export async function installPackage(
  kind: PackageKind,
  source: string,
  { ref, path, force }: InstallOptions,
  io: TerminalIo,
): Promise<void> {
  const from = { source, ref, repo_path: path, force: force === true };
  const { name, install_path: place } = await packagesOf(kind, io).install(from, new AbortController().signal);
  io.stdout.line(name);
  io.stderr.line(styled('dim', `It is in ${place}. Nothing of it was executed.`));
}

/** Prints the installed packages. */
export async function listPackages(kind: PackageKind, io: TerminalIo): Promise<void> {
  const installed = await packagesOf(kind, io).list();
  for (const each of installed) io.stdout.line([styled('cyan', each.name), describe(each)]);
  if (installed.length === 0) io.stderr.line(styled('dim', `There are no installed ${kind}.`));
}

/** Removes an installed package. */
export async function removePackage(kind: PackageKind, name: string, io: TerminalIo): Promise<void> {
  await packagesOf(kind, io).remove(name);
}

function describe({ version, source, enabled }: InstalledPackage): string {
  return [version, source, ...(enabled ? [] : ['disabled'])]
    .filter((part) => part !== '')
    .map((part) => `  ${part}`)
    .join('');
}

function packagesOf(kind: PackageKind, io: TerminalIo): InstalledPackages {
  const disabled: Parameters<typeof packages>[0]['disabled'] = {
    read: async (key) => namesOf((await settingsFor(io)).get(key)),
    async change(key, change) {
      const names = namesOf((await settingsFor(io)).get(key));
      if (change(names).join('\n') === names.join('\n')) return;
      await editSettings(await targetFile({ io }), (present) => ({ [key]: change(namesOf(present[key])) }));
    },
  };
  const options = { userHome: userHome(io), workspaceRoot: io.cwd, env: io.env, now: () => Date.now(), disabled };
  return packages(options)[kind];
}

/** Converts a value of a setting, which was validated when it was read. */
function namesOf(value: unknown): readonly string[] {
  return (value ?? []) as readonly string[];
}
