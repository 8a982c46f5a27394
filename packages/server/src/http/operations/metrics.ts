import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type * as Prometheus from 'prom-client';

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
  /** Seconds since the oldest active run began; 0 for none. */
  readonly oldestActive: number;
  /** Seconds since the oldest run that waits, here or for any replica, was requested; 0 for none. */
  readonly oldestWaiting: number;
  /** Conversations whose lease ended, or that have no room elsewhere, at the last look. */
  readonly expiredLeases: number;
  /** Runs that were continued after another process, or an earlier one, since the start. */
  readonly takenOver: number;
  /** Conversations that could not be handed over since the start. */
  readonly failedHandOvers: number;
}

/** Seconds; the longest are commands that a client waits for. */
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60];

/** Creates the metrics of one server; `load` is read for each response. */
export function createMetrics(load: () => Promise<Load>): Metrics {
  let loaded: Promise<Instruments> | undefined;
  // The library takes 50 ms to load, which the start of a server saves: its first request loads it.
  const instruments = (): Promise<Instruments> => (loaded ??= createInstruments());
  let isCollecting = false;
  return {
    observe: (request) => void observe(request, instruments()),
    async read() {
      const { registry, setLoad, collectProcess } = await instruments();
      // Measures the event loop from now on, which a server without a reader should not.
      if (!isCollecting) collectProcess();
      isCollecting = true;
      setLoad(await load());
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

interface Instruments {
  readonly registry: Prometheus.Registry;
  readonly requests: Prometheus.Counter<'method' | 'route' | 'status'>;
  readonly durations: Prometheus.Histogram<'method' | 'route'>;
  readonly setLoad: (load: Load) => void;
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
    setLoad: loadInstruments({ Counter, Gauge }, registers),
    collectProcess: () => collectDefaultMetrics({ register: registry }),
  };
}

/** Creates the instruments of the current figures, and returns the function that sets them. */
function loadInstruments(
  { Counter, Gauge }: Pick<typeof Prometheus, 'Counter' | 'Gauge'>,
  registers: Prometheus.Registry[],
): Instruments['setLoad'] {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const byState = (name: string, help: string) => new Gauge({ name, help, labelNames: ['state'], registers });
  const counter = (name: string, help: string) => new Counter({ name, help, registers });
  const runs = byState('varve_runs', 'Runs by state.');
  const oldest = byState('varve_run_oldest_seconds', 'Age of the oldest run by state.');
  const commands = gauge('varve_commands', 'Running commands of clients.');
  const expired = gauge('varve_leases_expired', 'Conversations that run and that no process has.');
  const takenOver = counter('varve_runs_taken_over_total', 'Runs continued after another or an earlier process.');
  const failed = counter('varve_hand_overs_failed_total', 'Conversations that could not be handed over.');
  return (load) => {
    runs.set({ state: 'active' }, load.activeRuns);
    runs.set({ state: 'waiting' }, load.waitingRuns);
    oldest.set({ state: 'active' }, load.oldestActive);
    oldest.set({ state: 'waiting' }, load.oldestWaiting);
    commands.set(load.runningCommands);
    expired.set(load.expiredLeases);
    takenOver.reset();
    takenOver.inc(load.takenOver);
    failed.reset();
    failed.inc(load.failedHandOvers);
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
