import type { HostOptions } from '@varve/host';
import type { ModelFromOptions, ModelWrapper } from '@varve/llm';
import type { EventStore } from '@varve/storage';
import type { Variables } from '@varve/text';
import type { Access, ScopedKey } from './access.ts';
import type { WebhookInput } from './streams/webhooks/webhook-options.ts';

/** Level and destination of a server's log. */
export interface LogOptions {
  readonly level: 'silent' | 'error' | 'warn' | 'info' | 'debug';
  /** Receives one JSON object per line. */
  readonly stream: { write(line: string): unknown };
}

/** Options of `server`. */
export interface ServerOptions {
  /** Store of the conversations; the caller closes it after the server has stopped. */
  readonly store: EventStore;
  /**
   * URL at which other servers reach this one, `http://HOST:PORT`: makes it a replica, one of several servers of a
   * store in PostgreSQL, which have the same keys and OH_SECRET_KEY. Default: none.
   */
  readonly address?: string;
  /** Accepted keys for `/api` with all rights: at least one, of visible ASCII. */
  readonly keys: readonly string[];
  /** Further keys, with an owner or fewer rights. Default: none. */
  readonly scopedKeys?: readonly ScopedKey[];
  /**
   * Returns what the sender of a request without one of the keys may do; undefined to refuse it. The request has the
   * headers of the sender, and no body; a key that a socket sends in a message is in `X-Session-API-Key`.
   */
  readonly authenticate?: (request: Request) => Access | undefined | Promise<Access | undefined>;
  /** Address to listen on; default `127.0.0.1`. An address that other machines can reach needs a strong key. */
  readonly host?: string;
  /** Accepted host names in addition to `host` and those of this machine, without a port. */
  readonly allowedHosts?: readonly string[];
  /**
   * Addresses and networks of proxies in front of the server, such as `10.0.0.0/8`, whose `X-Forwarded-For` is used.
   * Default: none.
   */
  readonly trustedProxies?: readonly string[];
  /** Maximum number of connections at a time, each of which takes about 40 kB. Default 1000. */
  readonly maxConnections?: number;
  /** Maximum number of connections of one address that have not sent a key. Default 100. */
  readonly maxConnectionsByAddress?: number;
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
  /** Directory of commands of clients and their outputs. Default: `bash_events` in the data directory. */
  readonly bashEventsDirectory?: string;
  /** Directory of worktrees of conversations. Default: `conversation-worktrees` in the data directory. */
  readonly worktreeRoot?: string;
  /**
   * True for a server that waits until `POST /api/init` configures it; until then, everything else below `/api` is
   * refused. The request needs OH_SECRET_KEY of the environment, else one of the keys, in `X-Init-API-Key`.
   */
  readonly deferred?: boolean;
  /** Receivers of the events of all conversations. Default: those of OH_WEBHOOKS in the environment. */
  readonly webhooks?: readonly WebhookInput[];
  /**
   * Agents in code, which requests name with `agent_name`; every replica has the same. What a request, the workspace or
   * the settings add to other agents is not added to them. Default: none.
   */
  readonly agents?: HostOptions['agents'];
  /** Wraps the models of agents. */
  readonly wrapModel?: ModelWrapper;
  /** As `native` of `modelFrom`. */
  readonly native?: ModelFromOptions['native'];
  /** Receives the spans of the conversations, as `otlpFrom` of `@varve/host/otlp` returns it. Default: none. */
  readonly spans?: HostOptions['spans'];
  /** Maximum number of runs at a time; the others wait. Default 8. */
  readonly maxRuns?: number;
  /** Number of runs that wait from which on others are refused; default 1000. Replicas count up to 1000 of all. */
  readonly maxWaiting?: number;
  /** Number of runs of an owner, active or waiting, from which on others are refused. Default: no limit. */
  readonly maxRunsByOwner?: number | undefined;
  /** Requests and messages of an owner in a minute, in this process; others are refused. Default: no limit. */
  readonly maxRequestsByOwner?: number | undefined;
  /** Milliseconds without use after which a conversation is closed. Default 20 minutes. */
  readonly idleMs?: number;
  /** Calls a function repeatedly. Default: `setInterval`. */
  readonly every?: (ms: number, tick: () => void) => Disposable;
}
