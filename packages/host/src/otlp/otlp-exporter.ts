import { randomUUID } from 'node:crypto';
import { otlpTraces, type Attributes, type Span, type SpanSink } from '@varve/events/spans';
import { repeatedly } from '../queues.ts';
import { MetricsOfSpans } from './metrics-of-spans.ts';
import type { OtlpSettings, OtlpTarget } from './otlp-variables.ts';

/** Options of {@link otlpExporter}. */
export interface OtlpExporterOptions extends OtlpSettings {
  /** Called once, with a sentence, when spans or metrics could not be sent. */
  readonly onProblem: (problem: string) => void;
  readonly fetch?: typeof globalThis.fetch;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: (ms: number, tick: () => void) => Disposable;
  /** UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Milliseconds of the last flush, by which a collector that does not answer delays the end. Default 2000. */
  readonly endMs?: number;
}

/** Sends spans in the background. */
export interface OtlpExporter extends SpanSink, AsyncDisposable {
  /** Sends what waits, and the metrics. Never rejects. */
  flush(): Promise<void>;
}

/** Spans that wait at most; later ones are dropped. @see the defaults of OTEL_BSP_* */
const maxQueue = 2048;
const maxBatch = 128;
const intervalMs = 5_000;
const metricsMs = 60_000;
/** Statuses after which a request is repeated. @see https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const transient = new Set([429, 502, 503, 504]);

/**
 * Returns a sink that sends the spans of any number of conversations, and metrics of them, to a collector: as OTLP over
 * HTTP in JSON. It never delays or fails a run; what the collector refuses is dropped, and what it could not take is
 * sent again. Disposing sends the rest.
 */
export function otlpExporter(options: OtlpExporterOptions): OtlpExporter {
  const exporter = new Exporter(options);
  return {
    content: options.content,
    end: (span) => exporter.add(span),
    flush: () => exporter.flush(),
    [Symbol.asyncDispose]: () => exporter.close(),
  };
}

class Exporter {
  readonly #options: OtlpExporterOptions;
  readonly #resource: Attributes;
  readonly #metrics: MetricsOfSpans;
  readonly #queue: Span[] = [];
  readonly #timers: readonly Disposable[];
  readonly #ended = new AbortController();
  #sending: Promise<void> = Promise.resolve();
  #isReported = false;

  constructor(options: OtlpExporterOptions) {
    const { every = repeatedly, now = Date.now } = options;
    this.#options = options;
    // Distinguishes the sums of concurrent processes.
    this.#resource = { 'service.instance.id': randomUUID(), ...options.resource };
    this.#metrics = new MetricsOfSpans(options, now);
    this.#timers = [every(intervalMs, () => void this.#send()), every(metricsMs, () => void this.#sendMetrics())];
  }

  add(span: Span): void {
    const { traces, metrics } = this.#options;
    if (metrics) this.#metrics.add(span);
    if (!traces) return;
    if (this.#queue.length < maxQueue) this.#queue.push(span);
    else this.#report(`OpenTelemetry: spans are dropped, because ${maxQueue} others wait.`);
    if (this.#queue.length === maxBatch) void this.#send();
  }

  async flush(): Promise<void> {
    await Promise.all([this.#send(), this.#sendMetrics()]);
  }

  async close(): Promise<void> {
    const { endMs = 2_000 } = this.#options;
    for (const timer of this.#timers) timer[Symbol.dispose]();
    AbortSignal.timeout(endMs).addEventListener('abort', () => this.#ended.abort(), { once: true });
    await this.flush();
  }

  #send(): Promise<void> {
    return (this.#sending = this.#sending.then(() => this.#sendQueue()));
  }

  async #sendQueue(): Promise<void> {
    const { traces } = this.#options;
    // Sends that waited for one that the end cut off have no time left.
    if (!traces || this.#ended.signal.aborted) return;
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, maxBatch);
      if (!(await this.#post(traces, otlpTraces(batch, this.#resource)))) return;
      this.#queue.splice(0, batch.length);
    }
  }

  async #sendMetrics(): Promise<void> {
    const { metrics } = this.#options;
    const request = metrics && this.#metrics.request(this.#resource);
    if (request) await this.#post(metrics, request);
  }

  /** Sends a request; returns false if it can succeed later. */
  async #post({ url, headers }: OtlpTarget, body: object): Promise<boolean> {
    const { fetch = globalThis.fetch, timeoutMs } = this.#options;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#ended.signal]),
      });
      await response.body?.cancel();
      if (!response.ok) this.#report(`OpenTelemetry: ${placeOf(url)} answered with status ${response.status}.`);
      return !transient.has(response.status);
    } catch (error) {
      this.#report(`OpenTelemetry: ${placeOf(url)} cannot be reached: ${messageOf(error)}.`);
      return false;
    }
  }

  #report(problem: string): void {
    if (!this.#isReported) this.#options.onProblem(problem);
    this.#isReported = true;
  }
}

/** Returns an address without its credentials and query. */
function placeOf(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: 'the address', pathname: '' };
  return origin + pathname;
}

/** Returns the reason of a failed request. */
function messageOf(error: unknown): string {
  if (error instanceof Error && ['TimeoutError', 'AbortError'].includes(error.name)) return 'it did not answer';
  // Messages may contain the address with its credentials.
  const { code } = Object(error instanceof Error ? error.cause : undefined) as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'the request failed';
}
