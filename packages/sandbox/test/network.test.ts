import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openPlace, problem } from './support/open-place.ts';

async function httpServer(): Promise<Server & AsyncDisposable> {
  const server = createServer((request, response) => {
    response.end(request.url === '/large' ? 'x'.repeat(5_000_000) : `answer to ${request.headers.host}`);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Requests of a program that uses the proxy for local names too. */
const curl = (url: string, options = ''): string => `curl -sS --noproxy '' -x "$HTTP_PROXY" ${options} ${url}`;

describe.skipIf(problem !== undefined)('the network of a sandbox', () => {
  test('has the allowed hosts, by HTTP and by a tunnel', async () => {
    await using server = await httpServer();
    const host = `localhost:${portOf(server)}`;
    using place = openPlace({ network: { allowed: ['localhost'] } });
    const { output } = await place.run(
      `${curl(host, '-H "Host: other.example"')}; echo; ${curl(host, '-p')}; echo; ${curl(`${host}/large`, '-p')} | wc -c; ${curl(`${host}/large`)} | wc -c`,
    );
    expect(output).toBe(`answer to ${host}\nanswer to ${host}\n5000000\n5000000\n`);
    expect(place.sandbox.describeRefusals('', place.workspace)).toBeUndefined();
  });

  test('reaches services of this machine on the ports of a list, and names the others', async () => {
    await using server = await httpServer();
    await using other = await httpServer();
    const [port, closed] = [portOf(server), portOf(other)];
    using place = openPlace({ network: { allowed: [], ports: [port] } });
    const { output } = await place.run(
      `curl -sS http://localhost:${port}/large | wc -c; curl -sS http://127.0.0.1:${port}; curl -sS http://localhost:${closed}`,
    );
    expect(output).toMatch(new RegExp(`^5000000\nanswer to 127.0.0.1:${port}curl: .*connect`));
    const own =
      'The sandbox (profile workspace) has a local network of its own: services of this machine are reached on the ports of sandbox.ports.';
    expect(place.sandbox.describeRefusals(output, place.workspace)).toMatchObject({
      claims: [`the port ${closed} of this machine`],
      text: expect.stringContaining(own),
      isDenied: false,
    });
    expect(place.sandbox.describeRefusals('ECONNREFUSED', place.workspace)).toEqual({
      title: own,
      text: own,
      claims: [],
      ports: [],
      isDenied: true,
    });
  });

  test('reaches a service on a port that is opened while a program runs, and by the next one', async () => {
    await using server = await httpServer();
    await using refused = await httpServer();
    const asked: string[] = [];
    const url = `127.0.0.1:${portOf(server)}`;
    using place = openPlace({
      network: { allowed: [] },
      askHost: async (host) => asked.push(host) > 0 && host === url,
    });
    const running = place.run(`until curl -sS ${url} 2>/dev/null; do :; done`);
    expect(await place.sandbox.openPort(portOf(refused))).toBe(false);
    expect(await place.sandbox.openPort(portOf(server))).toBe(true);
    expect((await running).output).toBe(`answer to ${url}`);
    expect((await place.run(`curl -sS ${url}`)).output).toBe(`answer to ${url}`);
    expect(asked).toEqual([`127.0.0.1:${portOf(refused)}`, url]);
  });

  test('refuses other hosts and names them', async () => {
    using place = openPlace({ network: { allowed: ['*.allowed.example'], denied: ['denied.allowed.example'] } });
    const { output } = await place.run(
      `${curl('http://other.example')}; ${curl('https://denied.allowed.example')}; ${curl('http://127.0.0.1:1')}`,
    );
    expect(output).toContain('The sandbox does not allow the host other.example.');
    expect(output).toContain('response 403');
    const text =
      'The sandbox (profile workspace) refused the network hosts other.example, denied.allowed.example, 127.0.0.1. A rule denies this.';
    expect(place.sandbox.describeRefusals(output, place.workspace)).toEqual({
      title: text,
      text,
      ports: [],
      claims: [],
      isDenied: true,
    });
    const { output: later } = await place.run(curl('http://other.example'));
    expect(place.sandbox.describeRefusals(later, place.workspace)?.isDenied).toBe(false);
    expect(place.sandbox.describeRefusals('', place.workspace)).toBeUndefined();
  });

  test('names the first of many refused hosts', async () => {
    using place = openPlace({ network: { allowed: [] } });
    await place.run(`for n in $(seq 12); do ${curl('http://host$n.example')}; done`);
    expect(place.sandbox.describeRefusals('', place.workspace)?.text).toMatch(/host10\.example and 2 more\.$/);
  });

  test('asks about a new host once', async () => {
    await using server = await httpServer();
    const host = `localhost:${portOf(server)}`;
    const asked: string[] = [];
    using place = openPlace({
      network: { allowed: [] },
      askHost: async (name) => {
        asked.push(name);
        return name === 'localhost';
      },
    });
    const { output } = await place.run(
      `${curl(host)}; ${curl(host)}; ${curl('other.example')}; ${curl('other.example')}`,
    );
    expect(asked).toEqual(['localhost', 'other.example']);
    expect(output).toContain(`answer to ${host}answer to ${host}The sandbox`);
  });

  test('is reached through the proxy of the machine, except for the hosts that need none', async () => {
    await using server = await httpServer();
    const asked: unknown[] = [];
    await using upstream = await httpServer();
    upstream.on('connect', ({ url, headers }, client) => {
      asked.push([url, headers['proxy-authorization']]);
      const onward = connect(portOf(server), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(onward).pipe(client);
      });
    });
    const host = `localhost:${portOf(server)}`;
    using place = openPlace({
      network: { allowed: ['*.example', 'localhost'] },
      upstream: { url: new URL(`http://me:p%40ss@127.0.0.1:${portOf(upstream)}`), except: ['localhost'] },
    });
    const { output } = await place.run(
      `${curl('far.example')}; echo; ${curl('far.example:81', '-p')}; echo; ${curl(host)}`,
    );
    expect(output).toBe(`answer to far.example\nanswer to far.example:81\nanswer to ${host}`);
    const credentials = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(asked).toEqual([
      ['far.example:80', credentials],
      ['far.example:81', credentials],
    ]);
  });

  test('serves many connections at the same time', async () => {
    await using server = await httpServer();
    const host = `localhost:${portOf(server)}`;
    using place = openPlace({ network: { allowed: ['localhost'] } });
    const { output } = await place.run(`seq 20 | xargs -P 10 -I{} ${curl(`${host}/{}`)} | grep -o answer | wc -l`);
    expect(output).toBe('20\n');
  });

  test('ends connections that their server resets', async () => {
    await using server = await httpServer();
    server.prependListener('request', (request) => void request.socket.resetAndDestroy());
    const host = `localhost:${portOf(server)}`;
    using place = openPlace({ network: { allowed: ['localhost'] } });
    const { output } = await place.run(`${curl(host, '-p')}; echo $?; ${curl(host)}; echo $?`);
    expect(output.match(/^\d+$/gm)?.map((code) => Number(code) > 0)).toEqual([true, true]);
  });

  test('cannot be reached around the proxy', async () => {
    await using server = await httpServer();
    using place = openPlace({ network: { allowed: ['localhost'] } });
    const { code } = await place.run(`curl -sS --noproxy '*' http://127.0.0.1:${portOf(server)}`);
    expect(code).not.toBe(0);
  });
});
