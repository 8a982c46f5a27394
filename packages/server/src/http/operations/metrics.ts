import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Request whose response has begun. */
export interface ObservedRequest {
  readonly method: string;
  /** Path of the route with the names of its parameters, so that there are few values; `none` for an unknown path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Measurements in the format of Prometheus. */
export interface MetricsText {
  readonly text: string;
  readonly contentType: string;
}

/** Measurements of a server. */
export interface Metrics {
  observe(request: ObservedRequest): void;
  /** Returns all measurements, those of the process included. */
  read(): Promise<MetricsText>;
}

/** Current figures of a server. */
export interface Load {
  readonly activeRuns: number;
  readonly waitingRuns: number;
  readonly runningCommands: number;
}

/** Seconds; the longest are commands that a client waits for. */
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Creates the metrics of one server; `load` is read for each response. */
export function createMetrics(load: () => Load): Metrics {
  let loaded: Promise<Instruments> | undefined;
  // The library takes 50 ms to load, which the start of a server saves: its first request loads it.
  const instruments = (): Promise<Instruments> => (loaded ??= createInstruments());
  let isCollecting = false;
  return {
    observe: (request) => void observe(request, instruments()),
    async read() {
      const { registry, runs, commands, collectProcess } = await instruments();
      // Measures the event loop from now on, which a server without a reader should not.
      if (!isCollecting) collectProcess();
      isCollecting = true;
      const { activeRuns, waitingRuns, runningCommands } = load();
      runs.set({ state: 'active' }, activeRuns);
      runs.set({ state: 'waiting' }, waitingRuns);
      commands.set(runningCommands);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

interface Instruments {
  readonly registry: Registry;
  readonly requests: Counter<'method' | 'route' | 'status'>;
  readonly durations: Histogram<'method' | 'route'>;
  readonly runs: Gauge<'state'>;
  readonly commands: Gauge;
  readonly collectProcess: () => void;
}

async function observe(
  { method, route, status, seconds }: ObservedRequest,
  instruments: Promise<Instruments>,
): Promise<void> {
  const { requests, durations } = await instruments;
  requests.inc({ method, route, status });
  durations.observe({ method, route }, seconds);
}

async function createInstruments(): Promise<Instruments> {
  const { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } = await import('prom-client');
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Counter({
      name: 'varve_http_requests_total',
      help: 'Requests.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    durations: new Histogram({
      name: 'varve_http_request_duration_seconds',
      help: 'Time until the response began.',
      labelNames: ['method', 'route'],
      buckets,
      registers,
    }),
    runs: new Gauge({ name: 'varve_runs', help: 'Runs by state.', labelNames: ['state'], registers }),
    commands: new Gauge({ name: 'varve_commands', help: 'Running commands of clients.', registers }),
    collectProcess: () => collectDefaultMetrics({ register: registry }),
  };
}

/** Measures each request. */
export function requestMetrics(metrics: Metrics): MiddlewareHandler {
  return async (context, next) => {
    const began = performance.now();
    await next();
    // The handler or middleware that ended the request.
    const route = routePath(context);
    metrics.observe({
      method: context.req.method,
      route: route.includes('*') ? 'none' : route,
      status: context.res.status,
      seconds: (performance.now() - began) / 1000,
    });
  };
}
