import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';

/** Server on this machine to which a browser is redirected after a person has agreed. */
export interface RedirectListener extends AsyncDisposable {
  readonly url: string;
  /** Resolves to the address of the first request with a state. Requests with another state are refused. */
  redirected(state: string): Promise<URL>;
}

/** Listens on a port of the loopback interface, by default a free one. @throws {CliError} `usage` for one in use. */
export async function redirectListener(port = 0): Promise<RedirectListener> {
  const { promise, resolve } = Promise.withResolvers<URL>();
  let expected: string | undefined;
  let url = '';
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? '', url);
    const isExpected = address?.pathname === '/callback' && address.searchParams.get('state') === expected;
    response.writeHead(isExpected ? 200 : 400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    response.end(isExpected ? 'You can close this page and return to the terminal.' : 'This is not the answer.');
    if (address && isExpected) resolve(address);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening').catch((error: unknown) => {
    throw new CliError(exitCodes.usage, `The port ${port} of the login cannot be used: ${String(error)}.`);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
  return {
    url,
    redirected(state) {
      expected = state;
      return promise;
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
