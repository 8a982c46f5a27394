import { readFileSync } from 'node:fs';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { StorageError } from '@varve/storage';

/** Database that a URL names. */
export interface Target {
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly tls: TlsOptions | false;
  readonly applicationName: string;
  readonly connectMs: number;
  /** Maximum number of connections. */
  readonly poolSize: number;
  /** PostgreSQL schema of the tables. */
  readonly schema: string;
  /** The URL without password and parameters, for messages. */
  readonly label: string;
}

const parameters = new Set([
  'application_name',
  'connect_timeout',
  'host',
  'pool_size',
  'schema',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslrootcert',
  'user',
]);

/**
 * Parses `postgres://USER:PASSWORD@HOST:PORT/DATABASE?PARAMETERS`. Without `sslmode` a connection to another machine is
 * encrypted and verified, one to this machine is neither.
 *
 * @throws {StorageError} `invalid`, without the password; `io` for a certificate that cannot be read.
 */
export function parseUrl(url: string): Target {
  const parsed = URL.parse(url);
  if (!parsed || !/^postgres(ql)?:$/.test(parsed.protocol))
    throw invalid('The URL of a PostgreSQL store is malformed.');
  const { searchParams } = parsed;
  for (const name of searchParams.keys()) {
    if (!parameters.has(name)) throw invalid(`The URL of a PostgreSQL store has an unknown parameter "${name}".`);
  }
  const host = searchParams.get('host') ?? (decoded(parsed.hostname) || undefined);
  const user = searchParams.get('user') ?? (decoded(parsed.username) || undefined);
  const database = decoded(parsed.pathname.slice(1)) || undefined;
  const port = parsed.port === '' ? undefined : Number(parsed.port);
  const name = host?.startsWith('/') ? '' : `${host ?? 'localhost'}${port === undefined ? '' : `:${port}`}`;
  return {
    host,
    port,
    user,
    password: decoded(parsed.password) || undefined,
    database,
    tls: tlsOptions(searchParams, host),
    applicationName: searchParams.get('application_name') ?? 'varve',
    connectMs: 1000 * count(searchParams, 'connect_timeout', 10),
    poolSize: count(searchParams, 'pool_size', 10),
    schema: schemaName(searchParams.get('schema') ?? 'varve'),
    label: `postgres://${user === undefined ? '' : `${user}@`}${name}/${database ?? ''}`,
  };
}

function schemaName(name: string): string {
  // PostgreSQL shortens longer names, so that two of them would be the same schema.
  const isName = name !== '' && Buffer.byteLength(name) <= 63 && !name.includes('\0') && !name.startsWith('pg_');
  if (isName) return name;
  throw invalid(`${JSON.stringify(name)} is not the name of a schema: 1 to 63 bytes, not beginning with pg_.`);
}

function count(searchParams: URLSearchParams, name: string, fallback: number): number {
  const text = searchParams.get(name) ?? String(fallback);
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw invalid(`The ${name} ${JSON.stringify(text)} of a PostgreSQL store is not an integer from 1 to 9999.`);
}

function tlsOptions(searchParams: URLSearchParams, host: string | undefined): TlsOptions | false {
  const mode = searchParams.get('sslmode') ?? (isLocal(host) ? 'disable' : 'verify-full');
  const files = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
  const read = Object.entries(files).flatMap(([option, name]) => {
    const path = searchParams.get(name);
    return path === null ? [] : [[option, certificate(path)]];
  });
  const options: TlsOptions = Object.fromEntries(read);
  switch (mode) {
    case 'disable':
      return false;
    case 'require':
      return { ...options, rejectUnauthorized: false };
    case 'verify-ca':
      return { ...options, checkServerIdentity: () => undefined };
    case 'verify-full':
      return options;
  }
  const modes = 'disable, require, verify-ca and verify-full';
  throw invalid(`The sslmode ${JSON.stringify(mode)} is not supported; the modes are ${modes}.`);
}

/** Returns true for a socket in the file system and for the loopback interface. */
function isLocal(host = 'localhost'): boolean {
  return host.startsWith('/') || ['localhost', '[::1]', '::1'].includes(host) || /^127\.[\d.]+$/.test(host);
}

function certificate(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StorageError('io', `The file ${path} of a PostgreSQL store cannot be read.`, { cause });
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalid('The URL of a PostgreSQL store has a malformed percent-encoding.');
  }
}

function invalid(message: string): StorageError {
  return new StorageError('invalid', message);
}
