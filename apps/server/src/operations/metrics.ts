import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** Request whose response has begun. */
export interface ObservedRequest {
  readonly method: string;
  /** Path of the route with the names of its parameters, so that there are few values; `none` for an unknown path. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

/** Measurements of a server in the format of Prometheus. */
export interface Metrics {
  observe(request: ObservedRequest): void;
  /** Returns all measurements, those of the process included. */
  text(): Promise<string>;
  readonly contentType: string;
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
  const registry = new Registry();
  const registers = [registry];
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({ name: 'varve_http_requests_total', help: 'Requests.', labelNames, registers });
  const durations = new Histogram({
    name: 'varve_http_request_duration_seconds',
    help: 'Time until the response began.',
    labelNames: ['method', 'route'] as const,
    buckets,
    registers,
  });
  const runs = new Gauge({ name: 'varve_runs', help: 'Runs by state.', labelNames: ['state'] as const, registers });
  const commands = new Gauge({ name: 'varve_commands', help: 'Running commands of clients.', registers });
  let isCollecting = false;
  return {
    contentType: registry.contentType,
    observe({ method, route, status, seconds }) {
      requests.inc({ method, route, status });
      durations.observe({ method, route }, seconds);
    },
    async text() {
      // Measures the event loop from now on, which a server without a reader should not.
      if (!isCollecting) collectDefaultMetrics({ register: registry });
      isCollecting = true;
      const { activeRuns, waitingRuns, runningCommands } = load();
      runs.set({ state: 'active' }, activeRuns);
      runs.set({ state: 'waiting' }, waitingRuns);
      commands.set(runningCommands);
      return registry.metrics();
    },
  };
}
