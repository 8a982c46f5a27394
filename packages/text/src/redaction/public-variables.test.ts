import fc from 'fast-check';
import { expect, test } from 'vitest';
import { publicVariables } from './public-variables.ts';

const secretNames = [
  'LLM_API_KEY LLM_MODEL OH_SESSION_API_KEYS_0 OPENAI_API_KEY OPENAI_KEY ANTHROPIC_AUTH_TOKEN AWS_SECRET_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID AWS_SESSION_TOKEN PGPASSWORD MYSQL_PWD DATABASE_URL REDIS_URL GH_PAT GITHUB_TOKEN HF_TOKEN_1 TOKENS',
  'npm_config__authToken NPM_TOKEN CARGO_REGISTRY_TOKEN DOCKER_AUTH_CONFIG SENTRY_DSN KEY key Secret_Thing SSH_ASKPASS',
  'DBUS_SESSION_BUS_ADDRESS GIT_CONFIG_VALUE_0 BASH_ENV ENV PROMPT_COMMAND PS1 SHELLOPTS VARVE_HOME LC_API_KEY LC_KEY',
].flatMap((line) => line.split(' '));

test.for(secretNames)('%s is not public', (name) => {
  expect(publicVariables({ [name]: 'x' })).toEqual({});
});

test('a variable whose name speaks of credentials is not public, whatever surrounds it', () => {
  const word = fc.constantFrom(
    'KEY',
    'PASSWORD',
    'PASSWD',
    'PWD_',
    'TOKEN',
    'SECRET',
    'CREDENTIAL',
    'AUTH',
    'PAT_',
    'LLM_',
    'OH_',
  );
  const part = fc.stringMatching(/^[A-Za-z0-9_]{0,12}$/);
  fc.assert(
    fc.property(part, word, part, (before, name, after) => {
      expect(publicVariables({ [`${before}_${name}${after}`]: 'x' })).toEqual({});
    }),
  );
});

test('paths, locales and addresses of tools are public', () => {
  const variables = {
    PATH: '/bin',
    HOME: '/h',
    LANG: 'C',
    LC_ALL: 'C',
    LC_CTYPE: 'C',
    GOPATH: '/go',
    VIRTUAL_ENV: '/v',
  };
  expect(publicVariables({ ...variables, MISSING: undefined })).toEqual(variables);
});

test.for([
  ['http://user:pa%40ss@proxy:3128/', 'http://proxy:3128/'],
  ['http://user:p@ss@proxy:3128', 'http://proxy:3128'],
  ['http://user:pa,ss@proxy:3128', 'http://proxy:3128'],
  ['https://a.example,https://u:p,q@b.example,direct', 'https://a.example,https://b.example,direct'],
  ['user:pass@proxy:3128', 'proxy:3128'],
  ['https://token@pypi.example/simple', 'https://pypi.example/simple'],
  ['https://u:p@a.example,https://b.example,direct', 'https://a.example,https://b.example,direct'],
  ['http://proxy:3128', 'http://proxy:3128'],
] as const)('the value %s is passed on as %s', ([value, expected]) => {
  expect(publicVariables({ HTTPS_PROXY: value, GOPROXY: value })).toEqual({ HTTPS_PROXY: expected, GOPROXY: expected });
});

test('directories of caches and toolchains pass by their names, and nothing else by such a name', () => {
  const directories = { HF_HOME: '/m', PIP_CACHE_DIR: '/c', X_ROOT: '~/x', YARN_CACHE_FOLDER: '/y', NEW_CACHE: '/n' };
  expect(publicVariables({ ...directories, CUDA_VISIBLE_DEVICES: '0,1' })).toEqual({
    ...directories,
    CUDA_VISIBLE_DEVICES: '0,1',
  });
  expect(publicVariables({ VAULT_ROOT: 's.abc', TOKEN_DIR: 'sk-1', VARVE_HOME: '/v', SECRET: '/k' })).toEqual({});
});
