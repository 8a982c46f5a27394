import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { makeDirectories } from '@varve/files';
import { type EventStore } from '@varve/storage';
import { RequestError } from '../../error.ts';
import type { ServerOptions } from '../../server-options.ts';
import type { InitRequest } from './init-request.ts';

/**
 * Returns the options of a server with what a request adds to them, its directory of conversations excepted.
 *
 * @throws {RequestError} `invalid` for a directory that cannot be used.
 */
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
    ...(bashEvents && { bashEventsDirectory: usableDirectory('bash_events_dir', resolve(workspaceRoot, bashEvents)) }),
    ...(worktrees && {
      worktreeRoot: usableDirectory('conversation_worktree_root', resolve(workspaceRoot, worktrees)),
    }),
  };
}

function environment({ env = {} }: ServerOptions, { env: added, secret_key: passphrase }: InitRequest) {
  return { ...env, ...added, ...(passphrase && { OH_SECRET_KEY: passphrase }) };
}

/**
 * Opens the directory of conversations that a request names; undefined if it names none.
 *
 * @throws {RequestError} `invalid` for one that cannot be used.
 */
export async function requestedStore(
  { workspaceRoot = process.cwd() }: ServerOptions,
  { conversations_path: path }: InitRequest,
): Promise<EventStore | undefined> {
  if (!path) return undefined;
  // Loaded here, because most servers are started with their store.
  const { directoryScheme } = await import('@varve/storage/directory');
  return directoryScheme(usableDirectory('conversations_path', resolve(workspaceRoot, path)));
}

/** Creates a directory if it is missing: each use of one that is not a directory, or not writable, would fail. */
function usableDirectory(field: keyof InitRequest, path: string): string {
  try {
    makeDirectories(path, 0o700);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    if (statSync(path).isDirectory()) return path;
  } catch (cause) {
    throw unusable(field, path, cause);
  }
  throw unusable(field, path);
}

function unusable(field: string, path: string, cause?: unknown): RequestError {
  const message = `${field}: ${JSON.stringify(path)} is not a directory that this server can create and use.`;
  return new RequestError('invalid', message, { cause });
}
