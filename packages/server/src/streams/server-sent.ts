import type { Sink } from './follow-log.ts';

/** Options of `serverSentEvents`. */
export interface ServerSentOptions {
  /** Bytes that may wait for the client; above, reading of the history pauses. */
  readonly historyBytes: number;
  /** Bytes that may wait for the client; above, it is disconnected. */
  readonly waitingBytes: number;
  /** Milliseconds between comments that keep the connection open. */
  readonly pingMs: number;
  /**
   * Ends the connection of the client without a message; absent for a request of this process, whose body then ends
   * with an error. The HTTP adapter would print an error of a body, and send its text.
   */
  readonly disconnect?: (() => void) | undefined;
  /** Ends the response. */
  readonly stop: AbortSignal;
  /** Sends frames until the client is disconnected; the response ends with an error if this rejects. */
  readonly serve: (sink: Sink) => Promise<void>;
}

const ping = Buffer.from(': ping\n\n');

/**
 * Returns a response that sends frames as server-sent events.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function serverSentEvents(options: ServerSentOptions): Response {
  const { historyBytes, pingMs, stop, serve } = options;
  const closed = new AbortController();
  let wake: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  const close = (): void => {
    clearInterval(timer);
    closed.abort();
    wake?.();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const sink = sinkOf(controller, options, {
          closed: closed.signal,
          close,
          onWait: (resolve) => (wake = resolve),
        });
        const end = (): void => sink.end();
        stop.addEventListener('abort', end, { once: true });
        closed.signal.addEventListener('abort', () => stop.removeEventListener('abort', end), { once: true });
        timer = setInterval(() => sink.push(ping), pingMs);
        timer.unref();
        if (stop.aborted) end();
        serve(sink).catch((error: unknown) => sink.fail(error));
      },
      pull: () => wake?.(),
      cancel: close,
    },
    { highWaterMark: historyBytes, size: (chunk) => chunk.byteLength },
  );
  return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
}

interface Connection {
  readonly closed: AbortSignal;
  readonly close: () => void;
  readonly onWait: (resolve: () => void) => void;
}

/** A sink of bytes. */
interface ByteSink extends Sink {
  push(bytes: Uint8Array): void;
  /** Ends the response after everything sent. */
  end(): void;
}

function sinkOf(
  controller: ReadableStreamDefaultController<Uint8Array>,
  { historyBytes, waitingBytes, disconnect }: ServerSentOptions,
  { closed, close, onWait }: Connection,
): ByteSink {
  const fail = (error: unknown): void => {
    if (closed.aborted) return;
    close();
    if (disconnect) disconnect();
    else controller.error(error);
  };
  const push = (bytes: Uint8Array): void => {
    if (closed.aborted) return;
    const waiting = historyBytes - (controller.desiredSize ?? 0);
    if (waiting > waitingBytes) fail(new Error('The client reads too slowly.'));
    else controller.enqueue(bytes);
  };
  return {
    closed,
    push,
    fail,
    send: (frame) => push(frame.serverSent),
    async drained() {
      while (!closed.aborted && (controller.desiredSize ?? 0) <= 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        onWait(resolve);
        await promise;
      }
    },
    end() {
      if (closed.aborted) return;
      close();
      controller.close();
    },
  };
}
