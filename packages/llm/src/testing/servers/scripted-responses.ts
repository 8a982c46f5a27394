import type { ServerResponse } from 'node:http';
import { LlmError } from '../../error.ts';
import { errorAnswer } from './error-answers.ts';
import { halvesOf, sendPieces } from './send-pieces.ts';
import { eightCharChunks } from '../script/turn-deltas.ts';
import { requestOfItems, responseRequest, type ResponseRequest } from './response-request.ts';
import { responseEventsOf, responseOf } from './response-events.ts';
import { script, type CompleteTurn } from '../script/script.ts';
import type { Fault, ScriptedStep } from '../script/scripted-step.ts';
import { serveScript, type ScriptedServer } from './serve-script.ts';

/**
 * `scriptedServer` for the Responses protocol: listens on a free port of 127.0.0.1 and answers the n-th request with
 * the n-th step, streamed when the request asks for it, with the same faults. Unknown fields of items are answered with
 * 400.
 */
export async function scriptedResponses(scripted: Iterable<ScriptedStep>): Promise<ScriptedServer> {
  const steps = script(scripted);
  return serveScript(steps, {
    read(body) {
      const { data } = responseRequest().safeParse(body);
      return data && requestOfItems(data);
    },
    async answer({ method, path }, body, response) {
      if (method !== 'POST' || path !== '/v1/responses') return refuse(response, 404, `There is nothing at ${path}.`);
      const { data, error } = responseRequest().safeParse(body);
      if (!data) return refuse(response, 400, `The body is not a request: ${error.message}`);
      try {
        await sendResponse(await steps.next(requestOfItems(data)), response, data);
      } catch (mismatch) {
        if (!(mismatch instanceof LlmError)) throw mismatch;
        refuse(response, 400, mismatch.message);
      }
    },
  });
}

/** Sends a turn, including its faults. Resolves when nothing more is sent. */
async function sendResponse(
  turn: CompleteTurn,
  response: ServerResponse,
  { model, stream }: ResponseRequest,
): Promise<void> {
  await turn.gate;
  const pieces = (): readonly string[] =>
    stream ? eventsOf(turn, model) : halvesOf(JSON.stringify(responseOf(turn, model)));
  await sendPieces(pieces, { response, stream, fault: turn.error ? errorIn(turn) : turn.fault });
}

function eventsOf(turn: CompleteTurn, model: string): readonly string[] {
  const events = responseEventsOf(turn, model, eightCharChunks);
  return events.map((event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
}

/** Returns the response for an error; an empty or truncated reply has a different form in this protocol. */
function errorIn({ id, error }: CompleteTurn): Fault | undefined {
  if (error?.code !== 'empty' && error?.code !== 'truncated') return error && errorAnswer(error);
  const isCut = error.code === 'truncated';
  const details = isCut ? { reason: 'max_output_tokens' } : null;
  const status = isCut ? 'incomplete' : 'completed';
  return { kind: 'answer', body: { id, object: 'response', status, incomplete_details: details, output: [] } };
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } }));
}
