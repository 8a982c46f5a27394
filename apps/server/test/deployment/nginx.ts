import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { parse } from 'yaml';
import { expect } from 'vitest';
import { createCertificate } from '../../../../packages/storage-postgres/test/certificates.ts';
import type { Balance } from '../balancer.ts';
import { freePort } from '../../../../packages/storage-postgres/test/server.ts';

/** Path of nginx; `undefined` if it is not installed. Debian's is not in the PATH of every user. */
export const nginx = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
  .map((place) => join(place, 'nginx'))
  .find((path) => existsSync(path));

/**
 * Starts nginx with the configuration of the compose file in front of replicas of this machine. This process accepts
 * its certificate.
 */
export const nginxBalancer: Balance = async (live) => {
  const directory = mkdtempSync(join(tmpdir(), 'varve-nginx-'));
  // Its workers are of another user.
  chmodSync(directory, 0o755);
  const { authority } = createCertificate(directory);
  setDefaultCACertificates([...getCACertificates('default'), readFileSync(authority, 'utf8')]);
  const port = await freePort();
  const ports = live().map(({ url }) => Number(new URL(url).port));
  const configuration = join(directory, 'nginx.conf');
  writeFileSync(configuration, configurationOf(directory, port, ports));
  const child = spawn(nginx ?? 'nginx', ['-c', configuration, '-e', join(directory, 'error.log')], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  const url = `https://127.0.0.1:${port}`;
  await expect.poll(async () => fetch(`${url}/alive`).then(({ ok }) => ok, String)).toBe(true);
  return {
    url,
    disconnect() {
      // It notices that a replica has ended.
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Returns the configuration of the compose file with addresses of this machine. */
function configurationOf(directory: string, port: number, ports: readonly number[]): string {
  const file = join(import.meta.dirname, '../../../../examples/deploy/compose-replicas.yaml');
  const { configs } = parse(readFileSync(file, 'utf8'), { merge: true }) as {
    configs: { readonly balancer: { readonly content: string } };
  };
  const server = configs.balancer.content
    .replaceAll('$$', '$')
    .replace(/resolver .*/, '')
    .replaceAll(/varve-(\d):8000 resolve/g, (_, n) => `127.0.0.1:${ports[Number(n) - 1]}`)
    .replace('listen 8443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replaceAll(/\/etc\/nginx\/tls\/([\w.]+)/g, (_, name) => `"${directory}/${name}"`);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path "${directory}/${name}";`,
  );
  return `daemon off; pid "${directory}/pid"; error_log "${directory}/error.log";
    events {} http { access_log off; ${temporary.join(' ')} ${server} }`;
}
