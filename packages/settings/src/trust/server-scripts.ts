import { stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pathsInCommand } from '@varve/agent/confirmation';
import { realPathOf } from '@varve/tools';
import { type McpServerConfig, parseServerFile, serversOfFile } from '../definitions/mcp-server.ts';
import { SettingsError } from '../error.ts';
import { settingsOfText } from '../layers/document.ts';
import type { Configuration } from './configuration.ts';

/**
 * Returns the files of a directory that the commands and variables of its servers name, relative to it: programs and
 * scripts that the agent can write, and that run with the next start. Programs that these start in turn are not found.
 * `others` are the servers of further files, by name.
 */
export async function serverScripts(
  configuration: Configuration,
  others: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<readonly string[]> {
  const { workspace, files } = configuration;
  const named = files.flatMap(({ path }) => {
    const bytes = configuration.read(path);
    if (bytes && /(?:^|\/)\.mcp\.json$/.test(path)) return serversIn(parseServerFile(bytes));
    return bytes && /^\.varve\/config\.jsonc?$/.test(path) ? serversOfSettings(bytes, path) : [];
  });
  const servers = [...named, ...others.flatMap((mcpServers) => serversIn({ mcpServers }))];
  const scripts = new Set<string>();
  for (const { command = '', args = [], env = {}, cwd = '.' } of servers) {
    const texts = [command, ...args, ...Object.values(env)];
    for (const path of await pathsInCommand(texts, { workspace, directory: cwd })) {
      if (await isFileInside(workspace, path)) scripts.add(path);
    }
  }
  return [...scripts];
}

function serversIn(json: unknown): readonly McpServerConfig[] {
  return Object.values(serversOfFile(json).servers);
}

/** Returns the servers in a file of settings; none for one that is invalid, because no run uses it. */
function serversOfSettings(bytes: Uint8Array, path: string): readonly McpServerConfig[] {
  try {
    const values = settingsOfText(new TextDecoder().decode(bytes), { path, layer: 'project' });
    // Each value has passed the schema of the setting.
    return values.flatMap(({ key, value }) => (key === 'mcp_servers' ? Object.values(value as Servers) : []));
  } catch (error) {
    if (error instanceof SettingsError) return [];
    throw error;
  }
}

type Servers = Readonly<Record<string, McpServerConfig>>;

/** A file elsewhere is not one that the repository contains. */
async function isFileInside(workspace: string, path: string): Promise<boolean> {
  if (!isInside(path)) return false;
  const whole = join(workspace, path);
  const status = await stat(whole).catch(() => undefined);
  return status?.isFile() === true && isInside(relative(workspace, realPathOf(whole)));
}

function isInside(path: string): boolean {
  return path !== '' && path !== '..' && !path.startsWith(`..${sep}`);
}
