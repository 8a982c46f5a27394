import { writeCall } from '../../text-calls/function-tags/write-call.ts';
import type { CompleteTurn } from './script.ts';

/** Error message of a scripted model without function calling for a request with tools. */
export const noTools = 'The scripted model does not support tools.';

/**
 * Converts a turn to the reply of a model without function calling: calls are text, which ends before a stop string.
 */
export function promptedTurn(turn: CompleteTurn, stops: readonly string[] = []): CompleteTurn {
  if (turn.error || turn.fault?.kind === 'answer') return turn;
  const { finish, calls, text, ...rest } = turn;
  const whole = [...(text === undefined ? [] : [text]), ...calls.map(writeCall)].join('\n\n');
  const ends = stops.map((stop) => whole.indexOf(stop)).filter((at) => at !== -1);
  return {
    ...rest,
    calls: [],
    ...(whole !== '' && { text: whole.slice(0, Math.min(whole.length, ...ends)) }),
    ...(finish !== undefined && { finish: finish === 'tool-calls' ? 'stop' : finish }),
  };
}
