import type { ServerResponse } from 'node:http';
import { errorAnswer } from './error-answers.ts';
import type { Split } from './pieces-of.ts';
import type { WireBody } from './request-of.ts';
import type { PlayedTurn } from './script.ts';
import type { Fault } from './scripted-step.ts';
import { chunksOf, completionOf } from './wire-of.ts';

/** Where a scripted turn is played. */
export interface Stage {
  readonly response: ServerResponse;
  readonly body: WireBody;
  readonly split: Split;
}

/** Sends a turn as the answer of a server, with everything that goes wrong in it. Resolves when nothing more is sent. */
export async function play(turn: PlayedTurn, stage: Stage): Promise<void> {
  await turn.gate;
  const fault = turn.error ? errorAnswer(turn.error) : turn.fault;
  if (fault?.kind === 'answer') return sendAnswer(fault, stage.response);
  const pieces = stage.body.stream
    ? eventsOf(turn, stage)
    : halves(JSON.stringify(completionOf(turn, stage.body.model)));
  if (fault?.kind === 'hang' && fault.afterPieces === 0) return;
  if (fault?.kind === 'reset' && fault.afterPieces === 0) return void stage.response.socket?.resetAndDestroy();
  stage.response.setHeader('content-type', stage.body.stream ? 'text/event-stream' : 'application/json');
  for (const piece of pieces.slice(0, fault?.afterPieces)) await written(stage.response, piece);
  if (fault?.kind === 'hang') return;
  if (fault?.kind === 'reset') return void stage.response.socket?.destroy();
  stage.response.end();
}

function sendAnswer(
  { status = 200, headers, body }: Extract<Fault, { kind: 'answer' }>,
  response: ServerResponse,
): void {
  const isHtml = typeof body === 'string' && body.startsWith('<');
  response.writeHead(status, { 'content-type': isHtml ? 'text/html' : 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

function eventsOf(turn: PlayedTurn, { body, split }: Stage): readonly string[] {
  const chunks = chunksOf(turn, body.model, split);
  const wantsUsage = body.stream_options?.include_usage === true;
  const told = wantsUsage ? chunks : chunks.filter((chunk) => !('usage' in chunk));
  return [...told.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
}

/** An answer that is not streamed has two pieces, so that it can break off in the middle. */
function halves(json: string): readonly string[] {
  const middle = Math.floor(json.length / 2);
  return [json.slice(0, middle), json.slice(middle)];
}

/** Waits until the piece has left the process, so that a fault comes after it. */
async function written(response: ServerResponse, piece: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  response.write(piece, () => resolve());
  await promise;
}
