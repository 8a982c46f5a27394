import { stat } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { exceededJsonLimit } from '@varve/text';
import { realPathOf } from '@varve/tools';
import { parse } from 'jsonc-parser';
import * as z from 'zod';
import { fileLimits } from '../definitions/file-limits.ts';
import { serversOfFile } from '../definitions/mcp-server.ts';
import type { Configuration } from './configuration.ts';

const settingsFile = z.object({ mcp_servers: z.unknown() });

/**
 * Returns the files of a directory that the commands of its servers name, relative to it: programs and scripts that the
 * agent can write, and that run with the next start. Programs that these start in turn are not found. `others` are the
 * servers of further files, by name.
 */
export async function serverScripts(
  configuration: Configuration,
  others: readonly Readonly<Record<string, unknown>>[] = [],
): Promise<readonly string[]> {
  const { workspace, files } = configuration;
  const named = files.flatMap(({ path }) => {
    if (/(?:^|\/)\.mcp\.json$/.test(path)) return serversIn(jsonOf(configuration.read(path)));
    const { data } = /^\.varve\/config\.jsonc?$/.test(path)
      ? settingsFile.safeParse(jsonOf(configuration.read(path)))
      : {};
    return data ? serversIn({ mcpServers: data.mcp_servers }) : [];
  });
  const servers = [...named, ...others.flatMap((mcpServers) => serversIn({ mcpServers }))];
  const found = new Set<string>();
  for (const { command = '', args = [], cwd = '.' } of servers) {
    for (const word of [command, ...args].flatMap((text) => text.split(/[\s'"`;|&()<>=]+/))) {
      const path = relative(workspace, resolve(workspace, cwd, word));
      if (word !== '' && (await isFileInside(workspace, path))) found.add(path);
    }
  }
  return [...found];
}

function serversIn(
  json: unknown,
): readonly { command?: string | undefined; args?: string[] | undefined; cwd?: string | undefined }[] {
  return Object.values(serversOfFile(json).servers);
}

/** Returns the value of a file; undefined for one that has no effect. */
function jsonOf(bytes: Uint8Array | undefined): unknown {
  const text = new TextDecoder().decode(bytes);
  return exceededJsonLimit(text, fileLimits) ? undefined : parse(text, [], { allowTrailingComma: true });
}

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
