import { createHash } from 'node:crypto';
import type { SettingValue } from '@varve/settings';
import { mcpSecretPrefix, receivedText, type Cipher, type Exposure } from '@varve/settings/secrets';
import { secretIn, shownSecret } from './llm-record.ts';
import type { ServerSettings } from './server-settings.ts';

type Servers = SettingValue<'mcp_servers'>;
type Server = Servers[string];

interface Context {
  readonly settings: ServerSettings;
  readonly cipher: Cipher;
}

/** Returns servers as clients receive them: the values of variables and headers are secrets. */
export async function exposedServers(
  servers: Servers,
  context: Context & { readonly exposure: Exposure },
): Promise<Readonly<Record<string, Server>>> {
  const exposed = Object.entries(servers).map(async ([key, server]) => [key, await exposedServer(server, context)]);
  return Object.fromEntries(await Promise.all(exposed));
}

async function exposedServer(
  server: Server,
  { settings, exposure, cipher }: Context & { readonly exposure: Exposure },
): Promise<Server> {
  return withValues(server, async (value) => {
    const name = secretIn(value);
    const secret = name === undefined ? value : await settings.secrets.value(name);
    return shownSecret(secret, exposure, cipher) ?? undefined;
  });
}

/**
 * Returns a server as settings contain it: the values of its variables and headers are stored as secrets, to which the
 * record refers. A redacted value keeps the one of `before`.
 */
export async function storedServer(
  key: string,
  server: Server,
  { settings, cipher, before }: Context & { readonly before?: Server | undefined },
): Promise<Server> {
  return withValues(server, async (sent, part, name) => {
    const value = receivedText(sent, cipher);
    const kept = before?.[part]?.[name];
    if (value === undefined) return typeof kept === 'string' ? kept : undefined;
    if (/^(?:secret|env):/.test(value)) return value;
    const digest = createHash('sha256')
      .update(JSON.stringify([key, part, name]))
      .digest('hex')
      .slice(0, 32);
    const secret = `${mcpSecretPrefix}${digest}`;
    await settings.secrets.set(secret, { kind: 'StaticSecret', value, description: `${name} of ${key}`.slice(0, 200) });
    return `secret:${secret}`;
  });
}

/**
 * Changes the servers of the user's settings while no other writer can.
 *
 * @throws {SettingsError} `invalid` for servers that are not valid; what `change` throws. Then nothing is written.
 */
export async function updateServers(
  settings: ServerSettings,
  change: (servers: Map<string, Server>) => Promise<void>,
): Promise<void> {
  await settings.set(async (present) => {
    // The file was read with the schema of the setting.
    const servers = new Map(Object.entries((present['mcp_servers'] ?? {}) as Servers));
    await change(servers);
    return { mcp_servers: Object.fromEntries(servers) };
  });
}

/** Removes the secrets of a server that {@link storedServer} stored. */
export async function forgetServer(server: Server, settings: ServerSettings): Promise<void> {
  for (const value of parts.flatMap((part) => Object.values(server[part] ?? {}))) {
    const name = secretIn(value);
    if (name?.startsWith(mcpSecretPrefix)) await settings.secrets.remove(name);
  }
}

type Part = (typeof parts)[number];
const parts = ['env', 'headers', 'auth'] as const;

/** Fields of `auth` whose values are secrets; the others choose the strategy. */
const secretField = /credential|key|password|secret|token|value/i;

async function withValues(
  server: Server,
  change: (value: string, part: Part, name: string) => Promise<string | undefined>,
): Promise<Server> {
  const changed = await Promise.all(
    parts.map(async (part) => {
      const values = server[part];
      if (!values) return [];
      const entries = await Promise.all(
        Object.entries(values).map(async ([name, value]) => {
          const isSecret = typeof value === 'string' && (part !== 'auth' || secretField.test(name));
          return [name, isSecret ? await change(value, part, name) : value] as const;
        }),
      );
      return [[part, Object.fromEntries(entries.filter(([, value]) => value !== undefined))] as const];
    }),
  );
  return { ...server, ...Object.fromEntries(changed.flat()) };
}
