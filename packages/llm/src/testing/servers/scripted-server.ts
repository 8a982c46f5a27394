import type { ServerResponse } from 'node:http';
import { LlmError } from '../../error.ts';
import { eightCharChunks, type Split } from '../script/turn-deltas.ts';
import { chatChunks, chatCompletion } from './chat-completion.ts';
import { errorAnswer } from './error-answers.ts';
import { halvesOf, sendPieces } from './send-pieces.ts';
import { noTools, promptedTurn } from '../script/prompted-turn.ts';
import { requestOf, wireBody, type WireBody } from './chat-request.ts';
import { script, type CompleteTurn, type Script } from '../script/script.ts';
import type { ScriptedStep } from '../script/scripted-step.ts';
import { serveScript, type RecordedRequest, type ScriptedServer } from './serve-script.ts';

/** Options of {@link scriptedServer}. */
export interface ScriptedServerOptions {
  /** Required bearer token; another one is answered with 401. Not checked by default. */
  readonly apiKey?: string;
  /** Models listed under `/models`; a request for another one is answered with 404. Any model is served by default. */
  readonly models?: readonly string[];
  readonly split?: Split;
  /**
   * Simulates a model without function calling: rejects tools, writes calls into its text, ends before stop strings.
   */
  readonly prompted?: boolean;
}

/**
 * Listens on a free port of 127.0.0.1 and answers the n-th chat completion request with the n-th step, as several
 * events when the request asks for a stream. A request without a step is answered with 400 and reported by
 * `assertDone`. Disposing the server closes all connections.
 */
export async function scriptedServer(
  scripted: Iterable<ScriptedStep>,
  options: ScriptedServerOptions = {},
): Promise<ScriptedServer> {
  const steps = script(scripted);
  return serveScript(steps, {
    read(body) {
      const { data } = wireBody().safeParse(body);
      return data && requestOf(data);
    },
    answer: (recorded, body, response) =>
      answer(recorded, wireBody().safeParse(body).data, { response, options, steps }),
  });
}

interface Exchange {
  readonly response: ServerResponse;
  readonly options: ScriptedServerOptions;
  readonly steps: Script;
}

async function answer(
  { method, path, headers }: RecordedRequest,
  body: WireBody | undefined,
  exchange: Exchange,
): Promise<void> {
  const { response, options } = exchange;
  if (options.apiKey !== undefined && headers['authorization'] !== `Bearer ${options.apiKey}`) {
    refuse(response, 401, 'invalid_api_key', 'The key is wrong.');
  } else if (method === 'GET' && path === '/v1/models') {
    const data = (options.models ?? ['scripted']).map((id) => ({ id, object: 'model' }));
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
  } else if (method !== 'POST' || path !== '/v1/chat/completions') {
    refuse(response, 404, 'not_found', `There is nothing at ${path}.`);
  } else if (!body) {
    refuse(response, 400, 'invalid_request_error', 'The body is not a chat completion request.');
  } else if (options.models && !options.models.includes(body.model)) {
    refuse(response, 404, 'model_not_found', `The model ${body.model} does not exist.`);
  } else if (options.prompted && body.tools.length > 0) {
    refuse(response, 400, 'unsupported_parameter', noTools);
  } else {
    await answerNext(exchange, body);
  }
}

async function answerNext({ response, options, steps }: Exchange, body: WireBody): Promise<void> {
  try {
    const request = requestOf(body);
    const turn = await steps.next(request);
    const sent = options.prompted ? promptedTurn(turn, request.parameters.stop) : turn;
    await sent.gate;
    const { stream, model } = body;
    const pieces = (): readonly string[] =>
      stream ? eventsOf(sent, body, options.split) : halvesOf(JSON.stringify(chatCompletion(sent, model)));
    await sendPieces(pieces, { response, stream, fault: sent.error ? errorAnswer(sent.error) : sent.fault });
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    refuse(response, 400, 'script_mismatch', error.message);
  }
}

function eventsOf(turn: CompleteTurn, body: WireBody, split = eightCharChunks): readonly string[] {
  const chunks = chatChunks(turn, body.model, split);
  const wantsUsage = body.stream_options?.include_usage === true;
  const sent = wantsUsage ? chunks : chunks.filter((chunk) => !('usage' in chunk));
  return [...sent.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message, type: code, code } }));
}
