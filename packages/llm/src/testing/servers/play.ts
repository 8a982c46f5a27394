import type { ServerResponse } from 'node:http';
import { errorAnswer } from './error-answers.ts';
import { inHalves } from './in-halves.ts';
import type { Split } from '../script/pieces-of.ts';
import type { WireBody } from './request-of.ts';
import type { PlayedTurn } from '../script/script.ts';
import { sendPieces } from './send-pieces.ts';
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
  const { stream, model } = stage.body;
  const pieces = (): readonly string[] =>
    stream ? eventsOf(turn, stage) : inHalves(JSON.stringify(completionOf(turn, model)));
  await sendPieces(pieces, {
    response: stage.response,
    stream,
    fault: turn.error ? errorAnswer(turn.error) : turn.fault,
  });
}

function eventsOf(turn: PlayedTurn, { body, split }: Stage): readonly string[] {
  const chunks = chunksOf(turn, body.model, split);
  const wantsUsage = body.stream_options?.include_usage === true;
  const told = wantsUsage ? chunks : chunks.filter((chunk) => !('usage' in chunk));
  return [...told.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
}
