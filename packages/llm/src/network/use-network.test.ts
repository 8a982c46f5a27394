import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const entry = new URL('index.ts', import.meta.url).href;

/** Runs a module in a process of its own, because proxies and certificates are those of a process. */
async function inProcess(lines: readonly string[]): Promise<string> {
  const module = [`import { useNetwork } from '${entry}';`, ...lines].join('\n');
  const args = ['--conditions=@varve/source', '--input-type=module', '--eval', module];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { PATH: process.env['PATH'] } });
  return stdout.trim();
}

test('certificates of a file are trusted in addition to those of the process', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'varve-certificates-')), 'ca.pem');
  await writeFile(file, `A comment\n${rootCertificates.slice(0, 2).join('\n')}\n`);
  const counted = await inProcess([
    `import tls from 'node:tls';`,
    `tls.setDefaultCACertificates([tls.rootCertificates[5]]);`,
    `useNetwork({ SSL_CERT_FILE: ${JSON.stringify(file)} });`,
    `console.log(tls.getCACertificates('default').length);`,
  ]);
  expect(counted).toBe('3');
});

test('the global fetch uses the proxy, and its errors name it', async () => {
  const message = await inProcess([
    `useNetwork({ ALL_PROXY: 'http://me:canary@127.0.0.1:1' });`,
    `await fetch('https://server.test/').catch(({ message, cause }) => console.log(message, cause.code));`,
  ]);
  expect(message).toMatch(
    /^fetch failed: .*ECONNREFUSED 127\.0\.0\.1:1.*The proxy is http:\/\/127\.0\.0\.1:1 ECONNREFUSED, proxy http:\/\/127\.0\.0\.1:1$/,
  );
});

test('without variables nothing changes', async () => {
  const same = await inProcess([
    `const before = globalThis.fetch;`,
    `console.log(useNetwork({ NO_PROXY: '*', ALL_PROXY: '' }).length, globalThis.fetch === before);`,
  ]);
  expect(same).toBe('0 true');
});
