import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { newHome, runVarve } from './run-varve.ts';

test('doctor names what works, and the next thing to do about what does not', async () => {
  const home = await newHome();
  const { code, stdout } = await runVarve(['doctor'], { home });
  expect(code).toBe(2);
  expect(stdout).toContain(`✔ node      ${process.version}\n`);
  expect(stdout).toMatch(/✔ store {5}sqlite:.*, empty\n/);
  expect(stdout).toMatch(/✗ model {5}.+\n {13}.*varve init/);
});

test('doctor reports a model server that does not answer', async () => {
  const home = await newHome();
  const env = { LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'm' };
  const { stdout } = await runVarve(['doctor'], { home, env });
  expect(stdout).toContain('✗ model     http://127.0.0.1:9/v1 lists no models');
});

test('bash completes commands and their options', async () => {
  const home = await newHome();
  const { stdout: script } = await runVarve(['completion', 'bash'], { home });
  const completed = (words: string, index: number): string => {
    const line = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${index}; _varve; printf '%s ' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', line], { encoding: 'utf8' }).trim();
  };
  expect(completed('varve con', 1)).toBe('context condense config');
  expect(completed('varve rm --o', 2)).toBe('--older-than');
  expect(completed('varve mcp t', 2)).toBe('test');
});

test.for(['zsh', 'fish'])('there is a script for %s with every command', async (shell) => {
  const { stdout } = await runVarve(['completion', shell], { home: await newHome() });
  expect(stdout).toContain('varve');
  expect(stdout).toContain('--older-than');
});

test('servers of tools are added, listed and removed', async () => {
  const home = await newHome();
  const varve = async (...args: readonly string[]) => runVarve(args, { home });
  expect((await varve('mcp', 'add', '--env', 'A=b=c', 'files', 'npx', '-y', 'server', '--root', '/x')).code).toBe(0);
  expect((await varve('mcp', 'add', 'web', 'https://mcp.example.com/mcp')).code).toBe(0);
  expect((await varve('mcp')).stdout).toBe('files  npx -y server --root /x\nweb  https://mcp.example.com/mcp\n');
  expect((await varve('config', 'get', 'mcp_servers')).stdout).toContain('"A":"b=c"');
  expect((await varve('mcp', 'add', 'other', 'https://x', '--env', 'A=b')).code).toBe(2);
  const taken = await varve('mcp', 'add', 'web', 'https://mcp.example.com/other');
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining('`varve mcp rm web` removes it.')]);
  expect((await varve('mcp', 'add', 'my server', 'npx')).stderr).toContain('The name "my server"');
  expect((await varve('mcp', 'add', 'other', '--nonsense', 'npx')).code).toBe(2);
  expect((await varve('mcp', 'rm', 'files')).code).toBe(0);
  expect((await varve('mcp', 'rm', 'web')).code).toBe(0);
  expect(await varve('mcp', 'list')).toMatchObject({ code: 0, stdout: '' });
  expect((await varve('mcp', 'rm', 'web')).code).toBe(5);
});

test('the program of a server may follow -- and options the name', async () => {
  const home = await newHome();
  const varve = async (...args: readonly string[]) => runVarve(args, { home });
  await varve('mcp', 'add', 'one', '--', 'npx', '-y', 'server', '--env', 'x');
  await varve('mcp', 'add', '--env', 'A=1', 'two', '--env', 'B=2', '--', 'node', '--', 'x');
  expect((await varve('mcp')).stdout).toBe('one  npx -y server --env x\ntwo  node -- x\n');
  expect((await varve('config', 'get', 'mcp_servers')).stdout).toContain('{"A":"1","B":"2"}');
});

test('a server that starts lists its tools', async () => {
  const home = await newHome();
  const script = fileURLToPath(new URL('../../../packages/tools/test/support/mcp-server.ts', import.meta.url));
  await runVarve(['mcp', 'add', 'docs', process.execPath, '--conditions=@varve/source', script], { home });
  const { code, stdout, stderr } = await runVarve(['mcp', 'test', 'docs'], { home });
  expect(stdout.split('\n')).toContain('echo');
  expect([code, stderr]).toEqual([0, 'docs works.\n']);
});

test('only the named server is started, with the secrets that it names, which are masked', async () => {
  const home = await newHome();
  const program = 'console.error(process.env.TEXT); process.exit(3)';
  const docs = { command: process.execPath, args: ['-e', program], env: { TEXT: '${DOCS_KEY} of docs' } };
  const other = { command: process.execPath, args: ['-e', "fs.writeFileSync('other-started', '')"] };
  await runVarve(['config', 'set', 'mcp_servers', JSON.stringify({ docs, other })], { home });
  expect((await runVarve(['mcp', 'test', 'docs'], { home })).stderr).toContain('needs the secret DOCS_KEY');
  await runVarve(['secret', 'set', 'DOCS_KEY'], { home, stdin: 'canary-0123456789' });
  const { code, stderr } = await runVarve(['mcp', 'test', 'docs'], { home });
  expect([code, stderr]).toEqual([2, expect.stringContaining('<secret-hidden> of docs')]);
  expect(stderr).not.toContain('other');
  expect(existsSync(join(home, 'other-started'))).toBe(false);
});

test('a server that does not start is reported with its problem', async () => {
  const home = await newHome();
  await runVarve(['mcp', 'add', 'broken', 'node', '-e', 'process.exit(3)'], { home });
  const { code, stderr } = await runVarve(['mcp', 'test', 'broken'], { home });
  expect(code).toBe(2);
  expect(stderr).toContain('broken');
});
