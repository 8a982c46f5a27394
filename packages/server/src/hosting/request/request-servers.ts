import { serversOfFile, type FileServer } from '@varve/settings/extensions';
import type { PrivateRecord } from '../private/private-values.ts';

/** Returns the servers that a client sent, which replace those of the settings; undefined if it sent no list. */
export function requestServers(
  mcp: PrivateRecord['mcp'],
  workspace: string,
  onNotice: (notice: string) => void,
): readonly FileServer[] | undefined {
  if (!mcp) return undefined;
  const { servers, invalid } = serversOfFile({ mcpServers: mcp });
  for (const name of invalid) onNotice(`The server ${name} is not valid.`);
  return Object.entries(servers).map(([name, config]) => ({ name, config, directory: workspace, isOwn: true }));
}
