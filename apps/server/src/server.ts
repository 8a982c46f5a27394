import type { EventStore } from '@varve/storage';
import { listen, type Listening } from './listen.ts';
import type { LogOptions } from './log-options.ts';
import type { Variables } from '@varve/text';
import type { WebhookInput } from './webhooks/webhook-options.ts';
import { createApp } from './app.ts';
import { closeServices } from './create-services.ts';

/** Options of `server`. */
export interface ServerOptions {
  /** Store of the conversations; the caller closes it after the server has stopped. */
  readonly store: EventStore;
  /** Accepted keys for `/api`: at least one, of visible ASCII. */
  readonly keys: readonly string[];
  /** Address to listen on; default `127.0.0.1`. An address that other machines can reach needs a strong key. */
  readonly host?: string;
  /** Accepted host names in addition to `host` and those of this machine, without a port. */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may call the server, such as `https://app.example`, in addition to those of this machine. */
  readonly allowedOrigins?: readonly string[];
  /** Directory of a built front end with an `index.html`; default none. Its files need no key. */
  readonly frontEnd?: string;
  /** True to send metrics without a key. Default: false. */
  readonly openMetrics?: boolean;
  /** Log; default none. */
  readonly log?: LogOptions;
  /** Clock in UTC milliseconds; default `Date.now`. */
  readonly now?: () => number;
  /** Data directory for keys, secrets and commands of clients. Without one they are kept in memory. */
  readonly home?: string;
  /** Environment: keys of providers, and the base of the environment of commands. Default: none. */
  readonly env?: Variables;
  /** Directory of relative paths and of commands without one. Default: that of this process. */
  readonly workspaceRoot?: string;
  /**
   * Directories whose files the file and git routes may use. Default: all. Commands and agents are not confined.
   */
  readonly fileRoots?: readonly string[];
  /** Receivers of the events of all conversations. Default: those of OH_WEBHOOKS in the environment. */
  readonly webhooks?: readonly WebhookInput[];
  /** Maximum number of runs at a time; the others wait. Default 8. */
  readonly maxRuns?: number;
  /** Milliseconds without use after which a conversation is closed. Default 20 minutes. */
  readonly idleMs?: number;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: (ms: number, tick: () => void) => Disposable;
}

/** A server that handles requests with or without a socket. */
export interface Server extends AsyncDisposable {
  /** Handles a request without a socket. */
  fetch(request: Request): Promise<Response>;
  /** Handles a request of this process to a path: `request('/alive')`. */
  request(path: string, init?: RequestInit): Promise<Response>;
  /** Listens on a port of the host; 0 picks a free one. @throws {ServerError} `address` if that fails. */
  listen(port: number): Promise<Listening>;
  /** Pauses all runs and ends all commands. A server that listened does this when it stops. Idempotent. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a server of the agent-server protocol for a store.
 *
 * @throws {ServerError} `invalid` for an invalid key or origin.
 */
export function server(options: ServerOptions): Server {
  const { app, services, logger } = createApp(options);
  const { host = '127.0.0.1' } = options;
  return {
    fetch: async (request) => app.fetch(request),
    request: async (path, init) => app.request(path, init),
    async listen(port) {
      const onStop = (signal: AbortSignal): Promise<void> => closeServices(services, signal);
      const listening = await listen({ fetch: app.fetch, host, port, onStop });
      void services.readiness
        .during(services.conversations.recover())
        .catch((err: unknown) => logger.error({ err }, 'failure'));
      return listening;
    },
    [Symbol.asyncDispose]: () => closeServices(services, AbortSignal.abort()),
  };
}
