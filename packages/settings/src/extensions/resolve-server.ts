import { resolve } from 'node:path';
import { isLoopback } from '@varve/text';
import type { McpAddress, McpServer } from '@varve/tools/mcp';
import type { McpServerConfig } from '../definitions/mcp-server.ts';
import { SettingsError } from '../error.ts';

/** Circumstances of a server. */
export interface ServerContext {
  /** Directory of relative paths and of processes without one, absolute. */
  readonly directory: string;
  /** Secrets by name, which `${NAME}` stands for. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Secrets by name, for variables and headers whose whole value is `secret:NAME`. Default: none. */
  readonly referable?: Readonly<Record<string, string>>;
}

/**
 * Returns a server as it is started: `${NAME}` and `${NAME:-default}` in arguments, variables, headers and the address
 * are replaced by secrets of the person, and by nothing else. A secret is not sent over a connection that others read.
 *
 * @throws {SettingsError} `invalid` for a server that cannot be started, `missing` for an unknown secret.
 */
export function resolveServer(name: string, config: McpServerConfig, context: ServerContext): McpServer {
  const { command, url, transport, timeout } = config;
  const invalid = (why: string): SettingsError => new SettingsError('invalid', `The server ${name} ${why}.`);
  const expand = (text: string): string => expanded(text, name, context.secrets);
  const value = (text: string): string => referredValue(text, name, context.referable ?? {}) ?? expand(text);
  const limitMs = Math.min(timeout ?? 0, 3600) * 1000;
  const limit = timeout === undefined ? {} : { timeoutMs: limitMs, startMs: limitMs };
  const strategy = config.auth?.['strategy'];
  // Stored logins need no setting.
  if (config.auth && strategy !== 'none' && (strategy !== 'oauth2' || command !== undefined))
    throw invalid(`uses the authorization ${JSON.stringify(strategy)}, which is not supported`);
  if (command !== undefined && (transport === undefined || transport === 'stdio')) {
    return {
      transport: 'stdio',
      command,
      args: (config.args ?? []).map(expand),
      env: mapValues(config.env ?? {}, value),
      directory: resolve(context.directory, config.cwd ?? '.'),
      ...limit,
    };
  }
  if (url === undefined || transport === 'stdio') throw invalid('has neither a command nor an address');
  const address = expand(url);
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) throw invalid('has an address that is not valid');
  const headers = mapValues(config.headers ?? {}, value);
  const hasSecret = [url, ...Object.values(config.headers ?? {})].some((text) => /\$\{|^secret:/.test(text));
  if (hasSecret && !address.startsWith('https:') && !isLoopback(address))
    throw invalid('would get a secret over a connection that is not encrypted');
  const client = clientOf(config, value);
  const redirectPort = config.auth?.['redirect_port'];
  return {
    transport: transport === 'sse' ? 'sse' : 'http',
    url: address,
    headers,
    ...(client && { client }),
    ...(typeof redirectPort === 'number' && { redirectPort }),
    ...limit,
  };
}

/** Returns the client that is registered for logins, with its secret if it has one. */
function clientOf({ auth = {} }: McpServerConfig, value: (text: string) => string): McpAddress['client'] {
  const { client_id: id, client_secret: secret } = auth;
  if (typeof id !== 'string') return undefined;
  return { client_id: id, ...(typeof secret === 'string' && { client_secret: value(secret) }) };
}

function expanded(text: string, server: string, secrets: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_match, name: string, fallback?: string) => {
    const value = Object.hasOwn(secrets, name) ? secrets[name] : fallback;
    if (value !== undefined) return value;
    throw new SettingsError('missing', `The server ${server} needs the secret ${name}, which is not stored.`);
  });
}

/** Returns the value of a reference; undefined for any other text. @throws {SettingsError} `missing`. */
function referredValue(text: string, server: string, known: Readonly<Record<string, string>>): string | undefined {
  const name = /^secret:(.+)$/.exec(text)?.[1];
  if (name === undefined) return undefined;
  if (Object.hasOwn(known, name)) return known[name];
  throw new SettingsError('missing', `The server ${server} needs the secret ${name}, which is not stored.`);
}

function mapValues(
  values: Readonly<Record<string, string>>,
  change: (value: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}
