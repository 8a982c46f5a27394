import type { ServerResponse } from 'node:http';
import { errorAnswer } from './error-answers.ts';
import { halvesOf, sendPieces } from './send-pieces.ts';
import type { Split } from '../script/turn-deltas.ts';
import type { WireBody } from './chat-request.ts';
import type { CompleteTurn } from '../script/script.ts';
import { chatChunks, chatCompletion } from './chat-completion.ts';

/** Response to which a scripted turn is sent, and its request. */
export interface TurnTarget {
  readonly response: ServerResponse;
  readonly body: WireBody;
  readonly split: Split;
}

/** Sends a turn as the response of a server, including its faults. Resolves when nothing more is sent. */
export async function sendTurn(turn: CompleteTurn, target: TurnTarget): Promise<void> {
  await turn.gate;
  const { stream, model } = target.body;
  const pieces = (): readonly string[] =>
    stream ? eventsOf(turn, target) : halvesOf(JSON.stringify(chatCompletion(turn, model)));
  await sendPieces(pieces, {
    response: target.response,
    stream,
    fault: turn.error ? errorAnswer(turn.error) : turn.fault,
  });
}

function eventsOf(turn: CompleteTurn, { body, split }: TurnTarget): readonly string[] {
  const chunks = chatChunks(turn, body.model, split);
  const wantsUsage = body.stream_options?.include_usage === true;
  const sent = wantsUsage ? chunks : chunks.filter((chunk) => !('usage' in chunk));
  return [...sent.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
}
