import { expect, test } from 'vitest';
import { parseUrl } from './url.ts';

test('a URL names host, port, user, password and database', () => {
  expect(parseUrl('postgres://u%20ser:p%40ss@db.example:6543/my%2Fdata?application_name=a&schema=s')).toEqual({
    host: 'db.example',
    port: 6543,
    user: 'u ser',
    password: 'p@ss',
    database: 'my/data',
    tls: {},
    applicationName: 'a',
    connectMs: 10_000,
    poolSize: 10,
    schema: 's',
    label: 'postgres://u ser@db.example:6543/my/data',
  });
});

test('a URL may name a directory of sockets', () => {
  const { host, user, tls, label } = parseUrl('postgresql:///data?host=/run/postgresql&user=me');
  expect({ host, user, tls, label }).toEqual({
    host: '/run/postgresql',
    user: 'me',
    tls: false,
    label: 'postgres://me@/data',
  });
});

test.for([
  ['db.example', undefined, {}],
  ['db.example', 'verify-full', {}],
  ['db.example', 'require', { rejectUnauthorized: false }],
  ['db.example', 'verify-ca', { checkServerIdentity: expect.any(Function) }],
  ['db.example', 'disable', false],
  ['localhost.example', undefined, {}],
  ['127.example', undefined, {}],
  ['localhost', undefined, false],
  ['127.0.0.1', undefined, false],
  ['[::1]', undefined, false],
  ['localhost', 'verify-full', {}],
] as const)('a connection to %s with sslmode %s has its TLS options', ([host, mode, expected]) => {
  expect(parseUrl(`postgres://${host}/d${mode === undefined ? '' : `?sslmode=${mode}`}`).tls).toEqual(expected);
});

test.for([
  'postgres://u:s3cret@[::/d',
  'postgres://u:s3cret%ff@host/d',
  'postgres://u:s3cret@host/d?sslmode=prefer',
  'postgres://u:s3cret@host/d?sslmode=',
  'postgres://u:s3cret@host/d?ssl_mode=disable',
  'postgres://u:s3cret@host/d?pool_size=0',
  'postgres://u:s3cret@host/d?schema=pg_catalog',
  `postgres://u:s3cret@host/d?schema=${'é'.repeat(32)}`,
  'mysql://u:s3cret@host/d',
])('the URL %s is invalid, and its error does not contain the password', (url) => {
  let thrown: unknown;
  try {
    parseUrl(url);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toMatchObject({ code: 'invalid' });
  expect(`${(thrown as Error).stack}${JSON.stringify((thrown as Error).cause)}`).not.toContain('s3cret');
});
