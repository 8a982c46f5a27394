import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { LlmError } from '../error.ts';
import type { ModelRequest } from '../model-request.ts';
import { inEights, type Split } from './pieces-of.ts';
import { play } from './play.ts';
import { noTools, prompted } from './prompted.ts';
import { requestOf, wireBody, type WireBody } from './request-of.ts';
import { script, type Script } from './script.ts';
import type { ScriptedStep } from './scripted-step.ts';

/** What a scripted server checks, and how it cuts its answers. */
export interface ScriptedServerOptions {
  /** What `Authorization: Bearer` must hold; anything else is answered with 401. Not checked when absent. */
  readonly apiKey?: string;
  /** Listed under `/models`; a request for another one is answered with 404. Any model is served when absent. */
  readonly models?: readonly string[];
  readonly split?: Split;
  /** Plays a model without function calling: rejects tools, writes calls into its text, ends before stop strings. */
  readonly prompted?: boolean;
}

/** A request as it came, whatever was answered. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The client's port: the same for requests that share a connection. */
  readonly port: number | undefined;
  /** The body as it came; empty for a GET. */
  readonly text: string;
  /** What the body stands for; absent when it is no chat completion request. */
  readonly request?: ModelRequest;
  /** Settles when the exchange is over: `true` when the client left before the answer was complete. */
  readonly abandoned: Promise<boolean>;
}

/** A server on this machine that speaks the chat completions protocol from a script. */
export interface ScriptedServer extends AsyncDisposable {
  /** Such as `http://127.0.0.1:40123/v1`. */
  readonly url: string;
  /** In the order they came, `/models` included. */
  readonly requests: readonly RecordedRequest[];
  /** @throws {LlmError} `script-mismatch` when a request did not fit, or a step was never asked for. */
  assertDone(): void;
}

/**
 * Listens on a free port of 127.0.0.1 and answers the n-th chat completion request with the n-th step, streamed in several
 * events when asked to stream. A request without a step is answered with 400 and told by `assertDone`. Disposing it closes
 * every connection.
 */
export async function scriptedServer(
  steps: Iterable<ScriptedStep>,
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const dealt = script(steps);
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    // A client that leaves in the middle is no error of the server; `abandoned` tells.
    response.on('error', () => undefined);
    void answer({ incoming, response, requests, options, dealt }).catch(() => response.destroy());
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

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly requests: RecordedRequest[];
  readonly options: ScriptedServerOptions;
  readonly dealt: Script;
}

async function answer(exchange: Exchange): Promise<void> {
  const { incoming, response, requests, options } = exchange;
  const { method = '', url = '', headers } = incoming;
  const abandoned = closed(response);
  const text = await readText(incoming);
  const body = wireBody.safeParse(parsed(text)).data;
  requests.push({
    method,
    path: url,
    headers,
    port: incoming.socket.remotePort,
    text,
    abandoned,
    ...(body && { request: requestOf(body) }),
  });
  if (options.apiKey !== undefined && headers.authorization !== `Bearer ${options.apiKey}`) {
    refuse(response, 401, 'invalid_api_key', 'The key is wrong.');
  } else if (method === 'GET' && url === '/v1/models') {
    const data = (options.models ?? ['scripted']).map((id) => ({ id, object: 'model' }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
  } else if (method !== 'POST' || url !== '/v1/chat/completions') {
    refuse(response, 404, 'not_found', `There is nothing at ${url}.`);
  } else if (!body) {
    refuse(response, 400, 'invalid_request_error', 'The body is no chat completion request.');
  } else if (options.models && !options.models.includes(body.model)) {
    refuse(response, 404, 'model_not_found', `The model ${body.model} does not exist.`);
  } else if (options.prompted && body.tools.length > 0) {
    refuse(response, 400, 'unsupported_parameter', noTools);
  } else {
    await playNext(exchange, body);
  }
}

async function closed(response: ServerResponse): Promise<boolean> {
  await new Promise((resolve) => response.once('close', resolve));
  return !response.writableFinished;
}

async function playNext({ response, options, dealt }: Exchange, body: WireBody): Promise<void> {
  try {
    const request = requestOf(body);
    const turn = await dealt.next(request);
    await play(options.prompted ? prompted(turn, request.parameters.stop) : turn, {
      response,
      body,
      split: options.split ?? inEights,
    });
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    refuse(response, 400, 'script_mismatch', error.message);
  }
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: code, code } }));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
