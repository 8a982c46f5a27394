import type { McpServer } from '@varve/tools/mcp';
import type { McpServerConfig } from '../definitions/mcp-server.ts';

/** Names of headers, variables, options and parameters whose values are secrets. */
const secretName = /(?:authorization|cookie|credentials?|key|pass(?:word|wd)?|pat|pwd|secret|token)(?:[_-]?\d+)?$/i;

/** Value of a header with credentials, which is a secret under any name. */
const authorization = /^(?:basic|bearer) +\S+$/i;

/** Shorter values, numbers, paths and references under such a name are not secrets: `MAX_TOKENS`, `SSH_KEY`. */
const shortest = 8;
const notSecret = /^(?:\d+$|[./~])|^secret:|\$\{/;

/**
 * Returns the secrets that the configuration of a server contains as they are, by the names of its headers, variables,
 * options and parameters, and the passwords of its addresses: they must not be stored. Those that it refers to are
 * known anyway.
 */
export function secretsOfServer(server: McpServer): readonly string[] {
  const named =
    server.transport === 'stdio'
      ? namedValues(Object.entries(server.env ?? {}), server.args ?? [])
      : [...Object.entries({ ...server.headers, ...server.client }), ...namedParts(server.url)];
  const secret = named.filter(([name, value]) => secretName.test(name) || authorization.test(value));
  const values = secret.flatMap(([, value]) => [value, ...credentials(value)]);
  return [...new Set(values)].filter((value) => value.length >= shortest && !notSecret.test(value));
}

/** Returns the secrets that a configuration contains, as {@link secretsOfServer}, without those that it refers to. */
export function secretsOfConfig({
  command,
  args = [],
  env = {},
  url = '',
  headers = {},
  auth = {},
}: McpServerConfig): readonly string[] {
  const named = Object.entries(auth).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []));
  return [
    ...secretsOfServer({ transport: 'stdio', command: command ?? '', args, env, directory: '' }),
    ...secretsOfServer({ transport: 'http', url, headers: { ...headers, ...Object.fromEntries(named) } }),
  ];
}

type Named = readonly [name: string, value: string];

/** Returns the variables, options and assignments of a program, and the parts of the addresses among them. */
function namedValues(variables: readonly Named[], args: readonly string[]): readonly Named[] {
  const named = [...variables, ...namedArguments(args)];
  return [...named, ...[...args, ...named.map(([, value]) => value)].flatMap(namedParts)];
}

/** Returns options with their values, assignments as `docker run -e` has them, and headers as `curl -H` does. */
function namedArguments(args: readonly string[]): readonly Named[] {
  return args.flatMap((argument, at) => {
    const assigned = assignmentOf(argument);
    // As in `--header=Authorization: …`.
    if (assigned) return [assigned, assignmentOf(assigned[1]) ?? assigned];
    const next = args[at + 1];
    return argument.startsWith('-') && next !== undefined ? [[argument, next] as const] : [];
  });
}

function assignmentOf(text: string): Named | undefined {
  const [, name, value] = /^([\w-]+)[=:](.*)$/s.exec(text) ?? [];
  return name === undefined || value === undefined ? undefined : [name, value.trimStart()];
}

/**
 * Returns the password of an address, and its parameters. A password that is the user name, as in
 * `postgres://postgres:postgres@localhost`, is a word of many texts.
 */
function namedParts(address: string): readonly Named[] {
  const url = URL.parse(address);
  if (!url) return [];
  const password = url.password === url.username ? '' : url.password;
  return [...url.searchParams, ['password', password], ['password', decoded(password)]];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the credentials after a scheme, as `Bearer` and `Basic` have them. */
function credentials(value: string): readonly string[] {
  const [, scheme = '', text = ''] = /^(\w+) +(\S+)$/.exec(value) ?? [];
  if (text === '') return [];
  const password = /^basic$/i.test(scheme)
    ? Buffer.from(text, 'base64')
        .toString()
        .replace(/^[^:]*:/, '')
    : '';
  return [text, password];
}
