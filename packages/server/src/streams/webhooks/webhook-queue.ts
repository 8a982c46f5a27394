import type { DeliveryHeaders } from './delivery-headers.ts';
import type { AttemptResult, DeliveryLog } from './delivery-log.ts';
import type { WebhookOptions } from './webhook-options.ts';

/** Parts of a queue that tests replace. */
export interface QueueContext {
  readonly fetch: typeof globalThis.fetch;
  /** Resolves after some milliseconds, or when the signal aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Receives a failure of a request, without its body. */
  readonly onFailure: (error: unknown) => void;
}

/** Headers of the requests of a queue, and what it consists of. */
export interface QueueParts {
  readonly headers: DeliveryHeaders;
  /** Records its deliveries. */
  readonly log: DeliveryLog;
  readonly context: QueueContext;
  /** `events` are sent in batches; `documents` one by one and without a delay. Default: `events`. */
  readonly content?: 'events' | 'documents';
  /** Receives the `next` of the last event that was sent. */
  readonly onSent?: (next: number) => void;
}

/** Event or document that waits. */
interface Waiting {
  readonly json: string;
  /** Seq of the event after it in the log; absent for what no log contains. */
  readonly next?: number | undefined;
}

/**
 * Shortest wait after the attempts to send something failed, so that a receiver without delays is not flooded, and
 * between looks for room.
 */
const failureMs = 1_000;

/** Longest wait for a response. @see agent-server 1.43.1 webhooks */
const responseMs = 30_000;

/**
 * What waits to be sent to one address, in order, one request at a time: events in batches, or whole documents. When
 * there is too much, the oldest that no log contains are dropped. A request that fails is repeated; then what it
 * contained waits again.
 */
export class WebhookQueue {
  readonly #url: string;
  readonly #options: WebhookOptions;
  readonly #parts: QueueParts;
  readonly #stop = new AbortController();
  #waiting: readonly Waiting[] = [];
  #bytes = 0;
  #sending: Promise<void> | undefined;
  #hasTimer = false;

  constructor(url: string, options: WebhookOptions, parts: QueueParts) {
    this.#url = url;
    this.#options = options;
    this.#parts = parts;
  }

  /** True if nothing waits. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0 && !this.#sending;
  }

  get isFull(): boolean {
    return this.#waiting.length >= this.#options.max_queue_size || this.#bytes >= this.#options.max_queue_bytes;
  }

  /** Resolves when there is room for an event, or when the signal aborts. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) await this.#parts.context.delay(failureMs, signal);
  }

  /** Adds an event or a document, as JSON. Callers wait for room before they add an event of the log. */
  add(json: string, next?: number): void {
    this.#waiting = [...this.#waiting, { json, next }];
    this.#bytes += Buffer.byteLength(json);
    this.#dropOldest();
    if (!this.#isBatched || this.#waiting.length >= this.#options.event_buffer_size) void this.flush();
    else void this.#flushLater(this.#flushMs);
  }

  /** Sends what waits; resolves when that is done, or has failed. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) void this.#flushLater(Math.max(this.#flushMs, failureMs));
    });
    return this.#sending;
  }

  /** Sends what waits, once; the signal ends that. */
  async close(signal: AbortSignal): Promise<void> {
    const stop = (): void => this.#stop.abort();
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    await this.flush();
    stop();
    signal.removeEventListener('abort', stop);
  }

  #dropOldest(): void {
    const { max_queue_size: maxSize, max_queue_bytes: maxBytes } = this.#options;
    while (this.#waiting.length > maxSize || this.#bytes > maxBytes) {
      const dropped = this.#waiting.find(({ next }) => next === undefined);
      if (!dropped) return;
      this.#waiting = this.#waiting.filter((each) => each !== dropped);
      this.#bytes -= bytesOf([dropped]);
    }
  }

  get #isBatched(): boolean {
    return this.#parts.content !== 'documents';
  }

  get #flushMs(): number {
    return this.#options.flush_delay * 1000;
  }

  async #flushLater(ms: number): Promise<void> {
    if (this.#hasTimer) return;
    this.#hasTimer = true;
    await this.#parts.context.delay(ms, this.#stop.signal);
    this.#hasTimer = false;
    if (!this.#stop.signal.aborted) await this.flush();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#stop.signal.aborted) {
      const batch = this.#take(this.#isBatched ? this.#batchLength() : 1);
      const body = batch.map(({ json }) => json).join(',');
      if (await this.#sent(this.#isBatched ? `[${body}]` : body)) {
        const next = batch.findLast((each) => each.next !== undefined)?.next;
        if (next !== undefined) this.#parts.onSent?.(next);
        continue;
      }
      this.#waiting = [...batch, ...this.#waiting];
      this.#bytes += bytesOf(batch);
      this.#dropOldest();
      return;
    }
  }

  #batchLength(): number {
    const { event_buffer_size: size, max_batch_bytes: maxBytes } = this.#options;
    let [length, bytes] = [0, 0];
    for (const { json } of this.#waiting.slice(0, size)) {
      bytes += Buffer.byteLength(json) + 1;
      if (length > 0 && bytes > maxBytes) break;
      length += 1;
    }
    return length;
  }

  #take(count: number): readonly Waiting[] {
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    this.#bytes -= bytesOf(taken);
    return taken;
  }

  async #sent(body: string): Promise<boolean> {
    const { base_url: base, num_retries: retries, retry_delay: seconds } = this.#options;
    const { delay, onFailure } = this.#parts.context;
    const { id, signed } = this.#parts.headers(body);
    const delivery = this.#parts.log.begin(id, this.#url.slice(base.length));
    for (let attempt = 0; attempt <= retries && !this.#stop.signal.aborted; attempt += 1) {
      if (attempt > 0) await delay(seconds * 1000, this.#stop.signal);
      const result = await this.#attempt(body, signed());
      if (this.#stop.signal.aborted && result.error !== null) break;
      delivery.attempted(result);
      if (result.error === null) return true;
      onFailure(new Error(result.error));
    }
    delivery.end();
    return false;
  }

  async #attempt(body: string, signed: Readonly<Record<string, string>>): Promise<AttemptResult> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(responseMs)]);
    const headers = { 'content-type': 'application/json', ...signed };
    try {
      // The key is not sent to another address.
      const response = await this.#parts.context.fetch(this.#url, {
        method: 'POST',
        headers,
        body,
        signal,
        redirect: 'error',
      });
      const { status, ok: isAccepted } = response;
      await response.body?.cancel();
      return { status, error: isAccepted ? null : `A webhook answered with the status ${status}.` };
    } catch (error) {
      return { status: null, error: `A webhook cannot be reached (${reasonOf(error)}).` };
    }
  }
}

/** The path of an address and headers may be secrets, and messages of errors contain them. */
function reasonOf(error: unknown): string {
  const { name, cause } = error instanceof Error ? error : new Error();
  return typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : name;
}

function bytesOf(waiting: readonly Waiting[]): number {
  return waiting.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
}
