import { keyValues, nanos, type Attributes, type Span } from '@varve/events/spans';

/** Histograms of durations in seconds by the operation of a span. @see the conventions for their bounds */
const durations = new Map([
  ['chat', { name: 'gen_ai.client.inference.duration', first: 0.01 }],
  ['execute_tool', { name: 'gen_ai.execute_tool.duration', first: 0.01 }],
  ['invoke_agent', { name: 'gen_ai.invoke_agent.duration', first: 0.1 }],
]);

/** Attributes of spans that measurements have; others have too many values. */
const dimensions = new Set([
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.agent.name',
  'gen_ai.tool.name',
  'server.address',
  'server.port',
  'error.type',
]);

const usage = 'gen_ai.usage.';

/** Sum, or histogram with the number of values up to each bound. */
interface Series {
  readonly name: string;
  readonly attributes: Attributes;
  readonly bounds?: readonly number[];
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Counts tokens, and measures calls of models and tools and runs, from their spans. */
export class MetricsOfSpans {
  readonly #series = new Map<string, Series>();
  readonly #isDelta: boolean;
  readonly #now: () => number;
  #since: number;

  /** @param now UTC milliseconds. */
  constructor({ isDelta }: { readonly isDelta: boolean }, now: () => number) {
    this.#isDelta = isDelta;
    this.#now = now;
    this.#since = now();
  }

  add({ attributes, start, end }: Span): void {
    const own = Object.fromEntries(Object.entries(attributes).filter(([name]) => dimensions.has(name)));
    const duration = durations.get(String(attributes['gen_ai.operation.name']));
    if (duration) this.#add(duration.name, own, (end - start) / 1e6, boundsFrom(duration.first));
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith(usage)) {
        this.#add(`gen_ai.client.inference.usage.${name.slice(usage.length)}`, own, Number(value));
      }
    }
  }

  /**
   * Returns the request for `/v1/metrics`: all measurements since the start, or with `isDelta` since the last request;
   * undefined without any.
   */
  request(resource: Attributes): object | undefined {
    if (this.#series.size === 0) return undefined;
    const [start, time] = [this.#since, this.#now()].map((ms) => nanos(Math.floor(ms) * 1000));
    const aggregationTemporality = this.#isDelta ? 1 : 2;
    const metrics = [...Map.groupBy(this.#series.values(), ({ name }) => name)].map(([name, series]) => {
      const dataPoints = series.map((each) => ({
        attributes: keyValues(each.attributes),
        startTimeUnixNano: start,
        timeUnixNano: time,
        ...valueOf(each),
      }));
      return series[0]?.bounds
        ? { name, unit: 's', histogram: { aggregationTemporality, dataPoints } }
        : { name, unit: '{token}', sum: { aggregationTemporality, isMonotonic: true, dataPoints } };
    });
    if (this.#isDelta) {
      this.#series.clear();
      this.#since = this.#now();
    }
    const scopeMetrics = [{ scope: { name: 'varve' }, metrics }];
    return { resourceMetrics: [{ resource: { attributes: keyValues(resource) }, scopeMetrics }] };
  }

  #add(name: string, attributes: Attributes, value: number, bounds?: readonly number[]): void {
    const key = JSON.stringify([name, attributes]);
    const counts = bounds ? Array.from({ length: bounds.length + 1 }, () => 0) : [];
    const series = this.#series.get(key) ?? { name, attributes, ...(bounds && { bounds }), counts, count: 0, sum: 0 };
    const bucket = bounds ? bounds.filter((bound) => bound < value).length : 0;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.count += 1;
    series.sum += value;
    this.#series.set(key, series);
  }
}

function valueOf({ bounds, counts, count, sum }: Series): object {
  if (!bounds) return { asInt: String(sum) };
  return { count: String(count), sum, bucketCounts: counts.map(String), explicitBounds: bounds };
}

/** Returns bounds each of which is twice the one before. */
function boundsFrom(first: number): readonly number[] {
  return Array.from({ length: first < 0.1 ? 14 : 13 }, (_, power) => Number((first * 2 ** power).toFixed(2)));
}
