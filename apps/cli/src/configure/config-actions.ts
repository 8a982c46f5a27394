import {
  definitionOf,
  describeOrigin,
  editSetting,
  isSettingKey,
  projectSettingsPath,
  settingKeys,
  settingsPaths,
  unknownKey,
  userSettingsPath,
  valueOfText,
  type EditedFile,
  type SettingEntry,
  type SettingKey,
} from '@varve/settings';
import { commandName } from '../terminal/command-name.ts';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes, type ExitCode } from '../failures/exit-codes.ts';
import { settingsFor } from '../home/settings.ts';
import { settingsTable, textOfValue } from './settings-table.ts';
import { withoutSecrets } from './without-secrets.ts';
import { varveHome } from '../home/varve-home.ts';
import { styled } from '../terminal/output.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** File that a command changes: the user's, or that of the project in the current directory. */
export interface Target {
  readonly project?: true;
  readonly io: TerminalIo;
}

/** Prints the settings with a value as a table, or one JSON object per line. */
export async function listSettings(
  { json, all }: { readonly json?: true; readonly all?: true },
  io: TerminalIo,
): Promise<void> {
  const settings = await settingsFor(io, { workspace: io.cwd });
  for (const warning of settings.warnings) io.stderr.line(styled('yellow', warning));
  const printed = settings.entries.filter(({ origin }) => all || json || origin.kind !== 'default');
  const entries = printed.map(withoutSecrets);
  if (json) {
    for (const entry of entries) io.stdout.jsonLine(JSON.stringify(jsonOf(entry)));
    return;
  }
  for (const line of settingsTable(entries, io)) io.stdout.line(line);
  if (all) return;
  const defaults = settings.entries.length - entries.length;
  io.stderr.line(styled('dim', `${defaults} settings have defaults: \`${commandName(io)} config list --all\`.`));
}

function jsonOf({ key, value, origin, hidden }: SettingEntry): unknown {
  const others = hidden.map((other) => ({ value: other.value, origin: describeOrigin(other.origin) }));
  return { key, value, origin: describeOrigin(origin), hidden: others };
}

/** Prints one value; text as it is, anything else as JSON. */
export async function printSetting(key: string, io: TerminalIo): Promise<ExitCode> {
  const settings = await settingsFor(io, { workspace: io.cwd });
  const entry = settings.entry(checkedKey(key));
  if (!entry) {
    io.stderr.line(styled('dim', `${key} has no value.`));
    return exitCodes.missing;
  }
  io.stdout.line(textOfValue(entry.value));
  io.stderr.line(styled('dim', describeOrigin(entry.origin)));
  return exitCodes.ok;
}

/** Sets a value, or removes it if the text is undefined, and warns if another source hides the change. */
export async function setSetting(key: string, text: string | undefined, target: Target): Promise<void> {
  const { io } = target;
  const known = checkedKey(key);
  if (text !== undefined && target.project && definitionOf(known).scope === 'user') {
    throw new CliError(
      exitCodes.usage,
      `A project cannot set ${key}.`,
      'Without --project it is set in your own file.',
    );
  }
  const file = await targetFile(target);
  await editSetting(file, known, text === undefined ? undefined : valueOfText(known, text, key));
  const settings = await settingsFor(io, { workspace: io.cwd });
  for (const warning of settings.warnings) io.stderr.line(styled('yellow', warning));
  const origin = settings.entry(known)?.origin;
  const isHidden = text !== undefined && origin && !(origin.kind === 'file' && origin.layer === file.layer);
  io.stderr.line(styled('dim', `${text === undefined ? 'Removed' : 'Set'} ${key} in ${file.path}.`));
  if (isHidden) io.stderr.line(styled('yellow', `It has no effect now: ${describeOrigin(origin)} is stronger.`));
}

/** Returns the file that a command changes. @throws {CliError} `usage` where there can be no project file. */
export async function targetFile({ project, io }: Target): Promise<EditedFile> {
  const home = varveHome(io);
  const { lockFile } = settingsPaths(home);
  if (!project) return { path: await userSettingsPath(home), layer: 'user', lockFile };
  const path = await projectSettingsPath(io.cwd, home);
  if (path !== undefined) return { path, layer: 'project', lockFile };
  throw new CliError(exitCodes.usage, `${io.cwd} contains varve's own data directory, so it is not a project.`);
}

function checkedKey(key: string): SettingKey {
  if (isSettingKey(key)) return key;
  const inside = settingKeys.filter((known) => known.startsWith(`${key}.`));
  if (inside.length > 0) {
    throw new CliError(exitCodes.usage, `${key} is a section of settings.`, `It contains ${inside.join(', ')}.`);
  }
  const hint = '`varve config schema` describes all keys.';
  throw new CliError(exitCodes.usage, `${unknownKey(key).replace(/^u/, 'U')}.`, hint);
}
