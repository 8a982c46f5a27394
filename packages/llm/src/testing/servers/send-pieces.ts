import type { ServerResponse } from 'node:http';
import type { Fault } from '../script/scripted-step.ts';

/** Options of {@link sendPieces}. */
export interface Sending {
  readonly response: ServerResponse;
  /** Server-sent events instead of one JSON body. */
  readonly stream: boolean;
  readonly fault: Fault | undefined;
}

/** Sends the pieces of a response, including its faults. Resolves when nothing more is sent. */
export async function sendPieces(pieces: () => readonly string[], { response, stream, fault }: Sending): Promise<void> {
  if (fault?.kind === 'answer') return sendAnswer(fault, response);
  const all = pieces();
  if (fault?.kind === 'hang' && fault.afterPieces === 0) return;
  if (fault?.kind === 'reset' && fault.afterPieces === 0) return void response.socket?.resetAndDestroy();
  response.setHeader('content-type', stream ? 'text/event-stream' : 'application/json');
  for (const piece of all.slice(0, fault?.afterPieces)) await sendPiece(response, piece);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') return void response.socket?.destroy();
  response.end();
}

async function sendAnswer(
  { status = 200, headers, body }: Extract<Fault, { kind: 'answer' }>,
  response: ServerResponse,
): Promise<void> {
  const isHtml = typeof body === 'string' && body.startsWith('<');
  response.writeHead(status, { 'content-type': isHtml ? 'text/html' : 'application/json', ...headers });
  if (typeof body === 'string') response.end(body);
  else if (!arePieces(body)) response.end(JSON.stringify(body));
  else {
    response.flushHeaders();
    for await (const piece of body) {
      // The client may disconnect from a body that does not end.
      if (response.destroyed) return;
      await sendPiece(response, piece);
    }
    response.end();
  }
}

function arePieces(body: object): body is AsyncIterable<string | Uint8Array> {
  return Symbol.asyncIterator in body;
}

/** Resolves when the piece has left the process, so that a fault follows it. */
async function sendPiece(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.write(piece, () => resolve());
  await promise;
}

/** Splits a response that is not streamed into two pieces, so that a fault can occur between them. */
export function halvesOf(json: string): readonly string[] {
  const middle = Math.floor(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}
