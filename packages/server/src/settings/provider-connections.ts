import { randomUUID } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import { lazy } from '@varve/events';
import { RequestError } from '../error.ts';
import { storeKey } from './llm-record.ts';
import type { ServerSettings } from './server-settings.ts';

const storedFields = lazy(() => ({
  display_name: z.string(),
  provider: z.string(),
  base_url: z.string().nullable(),
  /** Seconds. */
  created_at: z.int(),
  updated_at: z.int(),
}));
const connection = lazy(() => z.object({ ...storedFields(), api_key_ref: z.string() }));
/** Access to a provider that several profiles share; its key is a secret. */
export type ProviderConnection = z.output<ReturnType<typeof connection>>;

const setting = 'reference.provider_connections';

/** Fields that a client sends. */
interface ConnectionFields extends Pick<ProviderConnection, 'display_name' | 'provider' | 'base_url'> {
  readonly api_key: string;
}

/** Connections as clients receive them. @see agent-server 1.43.1 OpenAPI, ProviderConnectionResponse */
export const connectionInfo = lazy(() =>
  z.object({ id: z.string(), ...storedFields(), api_key_set: z.boolean() }).openapi('ProviderConnectionResponse'),
);
type ShownConnection = z.output<ReturnType<typeof connectionInfo>>;

/** Returns the connections by id; those that are not valid are left out. */
export async function connectionsOf(settings: ServerSettings): Promise<ReadonlyMap<string, ProviderConnection>> {
  return parsed((await settings.current()).get(setting));
}

function parsed(stored: unknown): Map<string, ProviderConnection> {
  const { data = {} } = z.record(z.string(), z.unknown()).safeParse(stored);
  const entries = Object.entries(data).map(([id, value]) => [id, connection().safeParse(value).data] as const);
  return new Map(entries.flatMap(([id, value]) => (value ? [[id, value]] : [])));
}

/** Returns a connection as clients receive it. */
export function shownConnection(
  id: string,
  { api_key_ref: _reference, ...fields }: ProviderConnection,
): ShownConnection {
  return { id, ...fields, api_key_set: true };
}

/** Adds a connection. */
export async function addConnection(settings: ServerSettings, sent: ConnectionFields, now: number) {
  const { api_key: key, ...fields } = sent;
  const seconds = Math.floor(now / 1000);
  const api_key_ref = await storeKey(settings.secrets, key);
  const added = { ...fields, created_at: seconds, updated_at: seconds, api_key_ref };
  const id = randomUUID();
  await change(settings, (connections) => connections.set(id, added));
  return shownConnection(id, added);
}

/** Changes a connection. @throws {RequestError} `unknown`. */
export async function changeConnection(
  settings: ServerSettings,
  { id, sent, now }: { readonly id: string; readonly sent: Partial<ConnectionFields>; readonly now: number },
): Promise<ShownConnection> {
  const { api_key: key, ...fields } = sent;
  const before = existing(await connectionsOf(settings), id);
  const api_key_ref =
    key === undefined ? before.api_key_ref : await storeKey(settings.secrets, key, before.api_key_ref);
  let after = before;
  await change(settings, (connections) => {
    after = { ...existing(connections, id), ...fields, api_key_ref, updated_at: Math.floor(now / 1000) };
    return connections.set(id, after);
  });
  return shownConnection(id, after);
}

/** Removes a connection and its key. @throws {RequestError} `unknown`; `conflict` while a profile uses it. */
export async function removeConnection(settings: ServerSettings, id: string): Promise<ShownConnection> {
  const removed = existing(await connectionsOf(settings), id);
  const profiles = await settings.models.readable();
  const user = profiles.find(({ record }) => record['provider_connection_id'] === id);
  if (user) throw new RequestError('conflict', `The profile "${user.name}" uses the connection.`);
  await change(settings, (connections) => {
    connections.delete(id);
    return connections;
  });
  await settings.forgetKey({ api_key_ref: removed.api_key_ref });
  return shownConnection(id, removed);
}

function existing(connections: ReadonlyMap<string, ProviderConnection>, id: string): ProviderConnection {
  const existingConnection = connections.get(id);
  if (!existingConnection) throw new RequestError('unknown', `Provider connection not found: ${id}`);
  return existingConnection;
}

async function change(
  settings: ServerSettings,
  edit: (connections: Map<string, ProviderConnection>) => ReadonlyMap<string, ProviderConnection>,
): Promise<void> {
  await settings.set((present) => ({ [setting]: Object.fromEntries(edit(parsed(present[setting]))) }));
}
