import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Settings } from '@varve/settings';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { userHome } from './varve-home.ts';

/** Returns the directories of the skills of installed plugins that are not disabled. */
export async function pluginSkills(settings: Settings, io: TerminalIo): Promise<readonly string[]> {
  const data = join(userHome(io), '.varve');
  const records = await readdir(join(data, 'installed/plugins')).catch(() => []);
  const disabled = settings.get('plugins.disabled') ?? [];
  const names = records.map((file) => parse(file)).filter(({ name, ext }) => ext === '.json' && !name.startsWith('.'));
  return names.filter(({ name }) => !disabled.includes(name)).map(({ name }) => join(data, 'plugins', name, 'skills'));
}
