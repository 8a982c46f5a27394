import type { Settings } from '@varve/settings';

/** Returns the options of a server that are settings, with their defaults. */
export function optionsOfSettings(settings: Settings) {
  const fileRoots = settings.get('server.file_roots');
  const address = settings.get('server.address');
  return {
    host: settings.get('server.host') ?? '127.0.0.1',
    allowedHosts: settings.get('server.allowed_hosts') ?? [],
    trustedProxies: settings.get('server.trusted_proxies') ?? [],
    maxConnections: settings.get('server.max_connections') ?? 1000,
    maxConnectionsByAddress: settings.get('server.max_connections_by_address') ?? 100,
    allowedOrigins: settings.get('server.allowed_origins') ?? [],
    openMetrics: settings.get('server.open_metrics') ?? false,
    ...(address !== undefined && { address }),
    ...(fileRoots && { fileRoots }),
    deferred: settings.get('server.deferred') ?? false,
    maxRuns: settings.get('server.max_runs') ?? 8,
    maxWaiting: settings.get('server.max_waiting') ?? 1000,
    maxRunsByOwner: settings.get('server.max_runs_by_owner'),
    maxRequestsByOwner: settings.get('server.max_requests_by_owner'),
    idleMs: (settings.get('server.idle_seconds') ?? 1200) * 1000,
  };
}
