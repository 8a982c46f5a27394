import { readFileSync } from 'node:fs';
import tls from 'node:tls';
import type { Variables } from '@varve/text';
import { nodeHttp } from '../http/node-http.ts';
import { proxyFor, proxyVariables, unusableProxies } from './proxy-for.ts';

/**
 * Lets all requests of this process use the proxies of `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, and
 * trust the certificates in the file of `SSL_CERT_FILE`. Node itself reads those of `NODE_EXTRA_CA_CERTS` when it
 * starts. For programs: a library that needs a proxy has an option `fetch`. Nothing is loaded without a proxy.
 *
 * @returns sentences about variables that have no effect
 * @throws {Error} for a file that cannot be read, and a Node before 24.14.
 */
export function useNetwork(env: Variables): readonly string[] {
  const file = env['SSL_CERT_FILE'];
  if (file) tls.setDefaultCACertificates([...tls.getCACertificates('default'), ...certificatesIn(file)]);
  const proxies = proxyVariables(env);
  const notices = unusableProxies(env).map((name) => `${name} has no effect: it is not the address of an HTTP proxy.`);
  if (!proxies) return notices;
  if (typeof nodeHttp.setGlobalProxyFromEnv !== 'function') {
    throw new Error(`Proxies need Node 24.14, and this is Node ${process.versions.node}.`);
  }
  nodeHttp.setGlobalProxyFromEnv({ ...proxies });
  globalThis.fetch = namingProxies(globalThis.fetch, env);
  return notices;
}

function certificatesIn(file: string): readonly string[] {
  return readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Adds the proxy to the errors of connections, which only contain that the fetch failed. */
function namingProxies(fetch: typeof globalThis.fetch, env: Variables): typeof globalThis.fetch {
  return async (input, init) => {
    try {
      return await fetch(input, init);
    } catch (error) {
      const proxy = proxyFor(input instanceof Request ? input.url : String(input), env);
      if (!proxy || !(error instanceof TypeError)) throw error;
      const root = rootOf(error);
      // Some messages contain only the code.
      const code = `${'code' in root ? String(root.code) : root.name}, proxy ${proxy}`;
      Object.assign(error, { code });
      throw new TypeError(`fetch failed: ${root.message}. The proxy is ${proxy}`, { cause: error });
    }
  };
}

function rootOf(error: Error): Error {
  return error.cause instanceof Error ? rootOf(error.cause) : error;
}
