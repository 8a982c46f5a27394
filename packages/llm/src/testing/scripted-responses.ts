import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { LlmError } from '../error.ts';
import { errorAnswer } from './error-answers.ts';
import { inEights } from './pieces-of.ts';
import { requestOfItems, responseRequest, type ResponseRequest } from './response-request.ts';
import { responseEventsOf, responseOf } from './responses-of.ts';
import { script, type PlayedTurn, type Script } from './script.ts';
import type { RecordedRequest, ScriptedServer } from './scripted-server.ts';
import type { Fault, ScriptedStep } from './scripted-step.ts';

/**
 * `scriptedServer` for the Responses protocol: listens on a free port of 127.0.0.1 and answers the n-th request with the n-th
 * step, streamed when asked to stream, with the same faults. It is strict: unknown fields of items are answered with 400.
 */
export async function scriptedResponses(steps: Iterable<ScriptedStep>): Promise<ScriptedServer> {
  const dealt = script(steps);
  const requests: RecordedRequest[] = [];
  const server = createServer((incoming, response) => {
    // A client that leaves in the middle is no error of the server; `abandoned` tells.
    response.on('error', () => undefined);
    void answer({ incoming, response, requests, dealt }).catch(() => response.destroy());
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
  readonly dealt: Script;
}

async function answer({ incoming, response, requests, dealt }: Exchange): Promise<void> {
  const { method = '', url = '', headers } = incoming;
  const abandoned = closed(response);
  const text = await readText(incoming);
  const body = responseRequest.safeParse(parsed(text));
  const request = body.success ? { request: requestOfItems(body.data) } : {};
  requests.push({ method, path: url, headers, port: incoming.socket.remotePort, text, abandoned, ...request });
  if (method !== 'POST' || url !== '/v1/responses') return refuse(response, 404, `There is nothing at ${url}.`);
  if (!body.success) return refuse(response, 400, `The body is no request: ${body.error.message}`);
  try {
    await play(await dealt.next(requestOfItems(body.data)), response, body.data);
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    refuse(response, 400, error.message);
  }
}

async function closed(response: ServerResponse): Promise<boolean> {
  await new Promise((resolve) => response.once('close', resolve));
  return !response.writableFinished;
}

/** Sends a turn with everything that goes wrong in it. Resolves when nothing more is sent. */
async function play(turn: PlayedTurn, response: ServerResponse, { model, stream }: ResponseRequest): Promise<void> {
  await turn.gate;
  const fault = turn.error ? errorIn(turn) : turn.fault;
  if (fault?.kind === 'answer') return sendAnswer(fault, response);
  if (fault?.kind === 'hang' && fault.afterPieces === 0) return;
  if (fault?.kind === 'reset' && fault.afterPieces === 0) return void response.socket?.resetAndDestroy();
  const json = JSON.stringify(responseOf(turn, model));
  const events = responseEventsOf(turn, model, inEights);
  const pieces = stream
    ? events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`)
    : [json.slice(0, json.length / 2), json.slice(json.length / 2)];
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
  for (const piece of pieces.slice(0, fault?.afterPieces)) await written(response, piece);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') return void response.socket?.destroy();
  response.end();
}

/** A reply that says nothing looks different in this protocol. */
function errorIn({ id, error }: PlayedTurn): Fault | undefined {
  if (error?.code !== 'empty' && error?.code !== 'truncated') return error && errorAnswer(error);
  const isCut = error.code === 'truncated';
  const details = isCut ? { reason: 'max_output_tokens' } : null;
  const status = isCut ? 'incomplete' : 'completed';
  return { kind: 'answer', body: { id, object: 'response', status, incomplete_details: details, output: [] } };
}

function sendAnswer(
  { status = 200, headers, body }: Extract<Fault, { kind: 'answer' }>,
  response: ServerResponse,
): void {
  const isHtml = typeof body === 'string' && body.startsWith('<');
  response.writeHead(status, { 'content-type': isHtml ? 'text/html' : 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Waits until the piece has left the process, so that a fault comes after it. */
async function written(response: ServerResponse, piece: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.write(piece, () => resolve());
  await promise;
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
