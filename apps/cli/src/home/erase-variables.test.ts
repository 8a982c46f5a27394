import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const path = (name: string) => new URL(name, import.meta.url).href;
const script = `import { execFileSync } from 'node:child_process';
import { privateEnvironment } from '${path('./private-environment.ts')}';
const env = privateEnvironment();
const readable = execFileSync('cat', ['/proc/' + process.pid + '/environ'], { env: {}, encoding: 'utf8' });
process.stdout.write(JSON.stringify({ env, own: { ...process.env }, readable }));`;

interface Erased {
  readonly env: Readonly<Record<string, string>>;
  readonly own: Readonly<Record<string, string>>;
  readonly readable: string;
}

/** Runs the script as an argument, which a process that replaces itself loses. */
async function erased(env: Readonly<Record<string, string>>): Promise<Erased> {
  const args = ['--conditions=@varve/source', '--no-warnings', '--input-type=module', '-e', script];
  return JSON.parse((await promisify(execFile)(process.execPath, args, { env })).stdout) as Erased;
}

test.runIf(process.platform === 'linux')('variables are erased without another start of the process', async () => {
  const variables = {
    LLM_API_KEY: 'key-0123456789',
    LARGE_VALUE: 'x'.repeat(100_000),
    HTTPS_PROXY: 'http://name:word@proxy.example:80',
    LANG: 'C.UTF-8',
    SECRET_ä: 'ö=😀',
  };
  const { env, own, readable } = await erased(variables);
  expect(env).toMatchObject(variables);
  expect(own).toEqual({ LANG: 'C.UTF-8', HTTPS_PROXY: 'http://proxy.example:80' });
  expect(readable.split('\0').filter((text) => text !== '')).toEqual(['LANG=C.UTF-8']);
});
