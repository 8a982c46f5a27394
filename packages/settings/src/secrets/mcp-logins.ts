import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { McpLogin, McpLogins } from '@varve/tools/mcp';
import { withFileLock } from '../files/file-lock.ts';
import { privateRecords } from './private-records.ts';
import type { SecretStore } from './secret-store.ts';

/** Options of {@link mcpLogins}. */
export interface McpLoginsOptions {
  /** Varve's data directory. */
  readonly home: string;
  /** Secrets of the person, whose key encrypts the logins. */
  readonly secrets: Pick<SecretStore, 'storageCipher'>;
}

/** Longest wait for another process, which refreshes tokens over the network. */
const lockMs = 60_000;

/** Returns the logins at MCP servers in a data directory, encrypted, each under a hash of the URL of its server. */
export function mcpLogins({ home, secrets }: McpLoginsOptions): McpLogins {
  const directory = join(home, 'mcp-logins');
  const records = privateRecords({ directory, cipher: async () => secrets.storageCipher() });
  const read = async (id: string): Promise<McpLogin | undefined> => {
    const text = await records.read(id);
    // Only this function's `change` writes records.
    return text === undefined ? undefined : (JSON.parse(text) as McpLogin);
  };
  return {
    read: async (url) => read(idOf(url)),
    async change(url, change) {
      const id = idOf(url);
      return withFileLock(
        join(home, 'mcp-logins.lock'),
        async () => {
          const before = await read(id);
          const after = await change(before);
          if (after === undefined) await records.remove(id);
          else if (after !== before) await records.write(id, JSON.stringify(after));
          return after;
        },
        { timeoutMs: lockMs },
      );
    },
  };
}

function idOf(url: string): string {
  return createHash('sha256').update(new URL(url).href).digest('hex');
}
