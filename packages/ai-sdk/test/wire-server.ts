import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Answer of a provider in its wire form: a JSON text, or the data of the events of a stream. */
export type WireAnswer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly json: unknown }
  | { readonly events: readonly object[] };

/** Serves answers in their order on loopback, and records the bodies of the requests. */
export async function wireServer(answers: readonly WireAnswer[]) {
  const bodies: Record<string, unknown>[] = [];
  const rest = [...answers];
  const server = createServer((request, response) => {
    void (async () => {
      bodies.push(JSON.parse(await text(request)) as Record<string, unknown>);
      const answer = rest.shift();
      if (answer && 'events' in answer) {
        response.setHeader('content-type', 'text/event-stream');
        response.end(answer.events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
        return;
      }
      const { status = 200, headers = {}, json } = answer ?? { status: 500, json: {} };
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(json));
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
