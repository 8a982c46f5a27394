import { parseArgs } from 'node:util';
import type { FlagValue, SettingKey } from '@varve/settings';

/** Text of `--help`. */
export const help = `Usage: varve-agent-server [options]

Serves conversations with the agent-server protocol until SIGINT or SIGTERM.

  --host NAME        address to listen on (default: 127.0.0.1)
  --port NUMBER      port; 0 picks a free one (default: 8000)
  --store URL        sqlite:FILE, dir:PATH, postgres://HOST/DATABASE or memory:
                     (default: sqlite:~/.varve/varve.db)
  --address URL      makes it a replica, which others of the store reach at http://HOST:PORT
  --max-runs NUMBER  runs at a time; the others wait (default: 8)
  --log-level LEVEL  silent, error, warn, info or debug (default: info)
  --key KEY          key of clients (VARVE_SESSION_API_KEY; default: a generated one)
  --deferred         wait until POST /api/init configures the server
  --version          print the version
  --help             print this text
`;

/** Flags of the program. */
export interface Flags {
  readonly key: string | undefined;
  readonly version: boolean;
  readonly help: boolean;
  /** Flags that are settings. */
  readonly values: readonly FlagValue[];
}

/** A wrong flag. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const settings = {
  host: 'server.host',
  port: 'server.port',
  store: 'store',
  address: 'server.address',
  'max-runs': 'server.max_runs',
  'log-level': 'server.log_level',
  deferred: 'server.deferred',
} as const satisfies Readonly<Record<string, SettingKey>>;

const numbers = new Set<string>(['port', 'max-runs']);

/** Reads the flags. @throws {UsageError} for an unknown flag, and one without its value. */
export function flagsOf(args: readonly string[]): Flags {
  const { version = false, help: isHelp = false, key, ...values } = parsed(args);
  return {
    key,
    version,
    help: isHelp,
    values: Object.entries(settings).flatMap(([name, setting]) => {
      const value = values[name as keyof typeof settings];
      if (value === undefined) return [];
      return [{ key: setting, value: numbers.has(name) ? Number(value) : value, flag: `--${name}` }];
    }),
  };
}

function parsed(args: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        host: text,
        port: text,
        store: text,
        address: text,
        'max-runs': text,
        'log-level': text,
        key: text,
        deferred: flag,
        version: flag,
        help: flag,
      },
    }).values;
  } catch (cause) {
    const [sentence] = (cause instanceof Error ? cause.message : String(cause)).split('. ', 1);
    throw new UsageError(`${sentence}.`, { cause });
  }
}
