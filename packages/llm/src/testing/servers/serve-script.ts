import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { parseJson } from '@varve/text';
import type { ModelRequest } from '../../model-request.ts';
import type { Script } from '../script/script.ts';

/** A received request. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Port of the client: the same for requests that share a connection. */
  readonly port: number | undefined;
  /** Text of the body; empty for a GET. */
  readonly text: string;
  /** The parsed request; absent when the body is not a request of the protocol. */
  readonly request?: ModelRequest;
  /** Resolves at the end of the exchange, with true when the client disconnected before the response was complete. */
  readonly abandoned: Promise<boolean>;
}

/** A local server that answers with a script in the protocol of a provider. */
export interface ScriptedServer extends AsyncDisposable {
  /** Base URL such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** Requests in the order they were received. */
  readonly requests: readonly RecordedRequest[];
  /** @throws {LlmError} `script-mismatch` when a request did not match its step, or a step was not requested. */
  assertDone(): void;
}

/** Request parser and responder of a protocol. */
export interface ProtocolHandler {
  /** Parses a body, for the record; undefined when it is not a request of the protocol. */
  readonly read: (body: unknown) => ModelRequest | undefined;
  /** Sends the response; a rejection breaks the connection. `body` is undefined when it is not JSON. */
  readonly answer: (recorded: RecordedRequest, body: unknown, response: ServerResponse) => Promise<void>;
}

/**
 * Listens on a free port of 127.0.0.1 and records each request before the response. Disposing it closes all
 * connections.
 */
export async function serveScript(steps: Script, handler: ProtocolHandler): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    // A client that disconnects early is not an error of the server; see `abandoned`.
    response.on('error', () => undefined);
    void handleRequest(incoming, response, { ...handler, requests }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    assertDone: () => steps.assertDone(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handleRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { read, answer, requests }: ProtocolHandler & { readonly requests: RecordedRequest[] },
): Promise<void> {
  const { method = '', url: path = '', headers } = incoming;
  const abandoned = untilClosed(response);
  const text = await readText(incoming);
  const body = parseJson(text);
  const request = read(body);
  const { remotePort: port } = incoming.socket;
  const recorded = { method, path, headers, port, text, abandoned, ...(request && { request }) };
  requests.push(recorded);
  await answer(recorded, body, response);
}

async function untilClosed(response: ServerResponse): Promise<boolean> {
  await new Promise((resolve) => response.once('close', resolve));
  return !response.writableFinished;
}
