import type { WebhookOptions } from './webhook-options.ts';

/** Parts of a queue that tests replace. */
export interface QueueContext {
  readonly fetch: typeof globalThis.fetch;
  /** Resolves after some milliseconds, or when the signal aborts. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Receives a failure of a request, without its body. */
  readonly onFailure: (error: unknown) => void;
}

/** Longest wait for a response. @see agent-server 1.43.1 webhooks */
const responseMs = 30_000;

/**
 * Events that wait to be sent to one address, in order: one request at a time, in batches. When they are too many, the
 * oldest are dropped. A request that fails is repeated; then its events wait for the next ones.
 */
export class WebhookQueue {
  readonly #url: string;
  readonly #options: WebhookOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #context: QueueContext;
  readonly #stop = new AbortController();
  #events: readonly string[] = [];
  #bytes = 0;
  #sending: Promise<void> = Promise.resolve();
  #hasTimer = false;

  constructor(
    url: string,
    options: WebhookOptions,
    { headers, context }: { readonly headers: Readonly<Record<string, string>>; readonly context: QueueContext },
  ) {
    this.#url = url;
    this.#options = options;
    this.#headers = headers;
    this.#context = context;
  }

  /** Adds an event, as JSON. */
  add(event: string): void {
    const { event_buffer_size: size, max_queue_size: maxSize, max_queue_bytes: maxBytes } = this.#options;
    this.#events = [...this.#events, event];
    this.#bytes += Buffer.byteLength(event);
    while (this.#events.length > maxSize || this.#bytes > maxBytes) this.#take(1);
    if (this.#events.length >= size) this.#flush();
    else void this.#flushLater();
  }

  /** Sends a document to another address of the same receiver, after what is being sent. */
  post(url: string, body: string): void {
    this.#sending = this.#postAfter(this.#sending, url, body);
  }

  async #postAfter(before: Promise<void>, url: string, body: string): Promise<void> {
    await before;
    await this.#sent(url, body);
  }

  /** Sends what waits, once; the signal ends that. */
  async close(signal: AbortSignal): Promise<void> {
    signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    if (signal.aborted) this.#stop.abort();
    this.#flush();
    await this.#sending;
    this.#stop.abort();
  }

  async #flushLater(): Promise<void> {
    if (this.#hasTimer) return;
    this.#hasTimer = true;
    await this.#context.delay(this.#options.flush_delay * 1000, this.#stop.signal);
    this.#hasTimer = false;
    if (!this.#stop.signal.aborted) this.#flush();
  }

  #flush(): void {
    this.#sending = this.#sendAll(this.#sending);
  }

  async #sendAll(before: Promise<void>): Promise<void> {
    await before;
    while (this.#events.length > 0 && !this.#stop.signal.aborted) {
      const batch = this.#take(this.#batchLength());
      if (await this.#sent(this.#url, `[${batch.join(',')}]`)) continue;
      this.#events = [...batch, ...this.#events];
      this.#bytes += bytesOf(batch);
      return;
    }
  }

  #batchLength(): number {
    const { event_buffer_size: size, max_batch_bytes: maxBytes } = this.#options;
    let [length, bytes] = [0, 0];
    for (const event of this.#events.slice(0, size)) {
      bytes += Buffer.byteLength(event) + 1;
      if (length > 0 && bytes > maxBytes) break;
      length += 1;
    }
    return length;
  }

  #take(count: number): readonly string[] {
    const taken = this.#events.slice(0, count);
    this.#events = this.#events.slice(count);
    this.#bytes -= bytesOf(taken);
    return taken;
  }

  async #sent(url: string, body: string): Promise<boolean> {
    const { num_retries: retries, retry_delay: seconds } = this.#options;
    const { fetch, delay, onFailure } = this.#context;
    for (let attempt = 0; attempt <= retries && !this.#stop.signal.aborted; attempt += 1) {
      if (attempt > 0) await delay(seconds * 1000, this.#stop.signal);
      try {
        const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(responseMs)]);
        const headers = { 'content-type': 'application/json', ...this.#headers };
        // The key is not sent to another address.
        const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'error' });
        await response.body?.cancel();
        if (response.ok) return true;
        throw new Error(`A webhook answered with the status ${response.status}.`);
      } catch (error) {
        if (!this.#stop.signal.aborted) onFailure(error);
      }
    }
    return false;
  }
}

function bytesOf(events: readonly string[]): number {
  return events.reduce((sum, event) => sum + Buffer.byteLength(event), 0);
}
