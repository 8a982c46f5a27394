import { setTimeout as delay } from 'node:timers/promises';
import { refusalOf } from '../route/handle-failure.ts';
import type { Services } from '../services.ts';
import { gatewayError } from './gateway-errors.ts';
import type { CompletionResult } from './gateway-messages.ts';

/** A stream that a client asked for. */
export interface CompletionStream {
  readonly conversationId: string;
  readonly model: string;
  /** UTC seconds. */
  readonly created: number;
  readonly includesUsage: boolean;
  /** The end of the run. */
  readonly result: Promise<CompletionResult>;
  /** Receives a failure of the server, which the client is not shown. */
  readonly reportFailure: (error: unknown) => void;
}

/** Milliseconds between comments that keep the connection open. */
const pingMs = 15_000;

/** Returns the body of a stream, which begins before the run has ended. A failure is its last event. */
export function completionEvents(stream: CompletionStream, services: Services): ReadableStream<Uint8Array> {
  // A client that leaves does not read it.
  stream.result.catch(() => undefined);
  return ReadableStream.from(eventsOf(stream, services));
}

async function* eventsOf(stream: CompletionStream, services: Services): AsyncGenerator<Uint8Array> {
  const { conversationId, model, created, includesUsage, result } = stream;
  const shared = { id: `chatcmpl-${conversationId}`, object: 'chat.completion.chunk', created, model };
  const choice = (delta: object, finish_reason: string | null = null) =>
    dataOf({ ...shared, choices: [{ index: 0, delta, finish_reason, logprobs: null }] });
  yield choice({ role: 'assistant', content: '' });
  while (!(await hasEnded(result))) yield Buffer.from(': ping\n\n');
  try {
    const { text, usage } = await result;
    yield choice({ content: text });
    yield choice({}, 'stop');
    if (includesUsage) yield dataOf({ ...shared, choices: [], usage });
    yield Buffer.from('data: [DONE]\n\n');
  } catch (error) {
    yield dataOf({ error: errorOf(error, stream, services) });
  }
}

/** Returns false if nothing happens for a while. */
async function hasEnded(result: Promise<unknown>): Promise<boolean> {
  const ended = result.then(
    () => true,
    () => true,
  );
  const waited = new AbortController();
  const late = delay(pingMs, false, { ref: false, signal: waited.signal }).catch(() => false);
  return Promise.race([ended, late]).finally(() => waited.abort());
}

function errorOf(error: unknown, { reportFailure }: CompletionStream, { secrets }: Services) {
  const refusal = error instanceof Error ? refusalOf(error) : undefined;
  if (refusal) return gatewayError(refusal.status, secrets.redactor.text(refusal.detail));
  reportFailure(error);
  return gatewayError(500, 'Internal Server Error');
}

function dataOf(value: object): Uint8Array {
  return Buffer.from(`data: ${JSON.stringify(value)}\n\n`);
}
