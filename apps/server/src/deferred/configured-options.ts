import { resolve } from 'node:path';
import { makeDirectories, type EventStore } from '@varve/storage';
import type { ServerOptions } from '../server-options.ts';
import type { InitRequest } from './init-request.ts';

/** Returns the options of a server with what a request adds to them, its directory of conversations excepted. */
export function configuredOptions(options: ServerOptions, request: InitRequest): ServerOptions {
  const { workspaceRoot = process.cwd(), allowedHosts = [], allowedOrigins = [] } = options;
  const { session_api_keys: keys, webhooks, max_concurrent_runs: maxRuns, web_url: address } = request;
  const { bash_events_dir: bashEvents, conversation_worktree_root: worktrees } = request;
  const url = address ? new URL(address) : undefined;
  const origins = [...allowedOrigins, ...(request.allow_cors_origins ?? []), ...(url ? [url.origin] : [])];
  return {
    ...options,
    env: environment(options, request),
    allowedOrigins: [...new Set(origins)],
    allowedHosts: url ? [...allowedHosts, url.hostname] : allowedHosts,
    ...(keys && keys.length > 0 && { keys }),
    ...(webhooks && { webhooks }),
    ...(maxRuns && { maxRuns }),
    ...(bashEvents && { bashEventsDirectory: resolve(workspaceRoot, bashEvents) }),
    ...(worktrees && { worktreeRoot: resolve(workspaceRoot, worktrees) }),
  };
}

function environment({ env = {} }: ServerOptions, { env: added, secret_key: passphrase }: InitRequest) {
  return { ...env, ...added, ...(passphrase && { OH_SECRET_KEY: passphrase }) };
}

/** Opens the directory of conversations that a request names; undefined if it names none. */
export async function requestedStore(
  { workspaceRoot = process.cwd() }: ServerOptions,
  { conversations_path: path }: InitRequest,
): Promise<EventStore | undefined> {
  if (!path) return undefined;
  // Loaded here, because most servers are started with their store.
  const { directoryScheme } = await import('@varve/storage/directory');
  const directory = resolve(workspaceRoot, path);
  makeDirectories(directory, 0o700);
  return directoryScheme(directory);
}
