import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { ModelRequest } from '../../model-request.ts';
import type { Script } from '../script/script.ts';

/** A request as it came, whatever was answered. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The client's port: the same for requests that share a connection. */
  readonly port: number | undefined;
  /** The body as it came; empty for a GET. */
  readonly text: string;
  /** What the body stands for; absent when it is no request of the protocol. */
  readonly request?: ModelRequest;
  /** Settles when the exchange is over: `true` when the client left before the answer was complete. */
  readonly abandoned: Promise<boolean>;
}

/** A server on this machine that speaks the protocol of a provider from a script. */
export interface ScriptedServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** In the order they came. */
  readonly requests: readonly RecordedRequest[];
  /** @throws {LlmError} `script-mismatch` when a request did not fit, or a step was never asked for. */
  assertDone(): void;
}

/** How a protocol is spoken. */
export interface ProtocolHandler {
  /** What a body stands for, for the record; undefined when it is no request of the protocol. */
  readonly read: (body: unknown) => ModelRequest | undefined;
  /** Answers; a rejection breaks the connection. `body` is undefined when it is no JSON. */
  readonly answer: (recorded: RecordedRequest, body: unknown, response: ServerResponse) => Promise<void>;
}

/** Listens on a free port of 127.0.0.1 and records every request before it is answered. Disposing closes every connection. */
export async function serveScript(dealt: Script, speaker: ProtocolHandler): Promise<ScriptedServer> {
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    // A client that leaves in the middle is no error of the server; `abandoned` tells.
    response.on('error', () => undefined);
    void handleRequest(incoming, response, { ...speaker, requests }).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    assertDone: () => dealt.assertDone(),
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
  const abandoned = closed(response);
  const text = await readText(incoming);
  const body = parsed(text);
  const request = read(body);
  const { remotePort: port } = incoming.socket;
  const recorded = { method, path, headers, port, text, abandoned, ...(request && { request }) };
  requests.push(recorded);
  await answer(recorded, body, response);
}

async function closed(response: ServerResponse): Promise<boolean> {
  await new Promise((resolve) => response.once('close', resolve));
  return !response.writableFinished;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
