import { setTimeout } from 'node:timers/promises';
import type { PrivateRecords } from '@varve/settings/secrets';
import type { EventStore, Replicas } from '@varve/storage';
import type { Variables } from '@varve/text';
import { ServerError } from '../error.ts';
import { repeatedly } from '@varve/host/kit';
import type { ServerOptions } from '../server-options.ts';
import type { TaskLists } from '../hosting/task-lists.ts';
import { peerSignature, type PeerSignature } from './peer-signature.ts';
import { peers, type Peers } from './peers.ts';
import { sharedSettings, type SharedSettings } from './shared-settings.ts';
import { recordsIn, sharedCommands, type SharedCommands } from './shared-commands.ts';
import { sharedTokens } from './shared-tokens.ts';
import { watchAbandoned, type Watch, type WatchOptions } from './takeover.ts';
import { wantedConversations, type Wanted } from './wanted.ts';

/** Part of a server that shares a store with servers of other machines. */
export interface Replica extends Peers {
  /** Origin at which others reach it. */
  readonly address: string;
  /** Signature of what replicas forward to each other. */
  readonly signature: PeerSignature;
  /** Encrypted private values of conversations. */
  readonly tokens: PrivateRecords;
  /** Encrypted positions of the webhooks of conversations, and the lists of the conversations that replicas send. */
  readonly webhooks: { readonly tokens: PrivateRecords; readonly lists: TaskLists };
  readonly commands: SharedCommands;
  /** Absent without a data directory. */
  readonly settings: SharedSettings | undefined;
  /** Lets another replica continue the run of a conversation that this one has closed. */
  readonly abandon: Replicas['abandon'];
  /**
   * Receives the settings that others have shared, continues the runs of replicas that ended, and gives up
   * conversations that others want, until `stop`.
   */
  watch(options: ReplicaWork): Promise<void>;
  /** Looks for runs to continue: there is room for one. */
  look(): void;
  stop(): void;
  /** @throws {ServerError} `invalid` for a port that no request is sent to. */
  check(): Promise<void>;
}

/** What a replica does for the others. */
export interface ReplicaWork extends Pick<WatchOptions, 'recover' | 'onFailure'> {
  /** Closes a conversation so that another replica opens it. */
  readonly giveUp: (id: string) => Promise<void>;
}

/**
 * Returns the part of a server that the other replicas of its store know; undefined for a server without an address.
 *
 * @throws {ServerError} `invalid` for an address that is no URL, and without a shared store or OH_SECRET_KEY.
 */
export function replicaOf(options: ServerOptions): Replica | undefined {
  const { address, store, env = {}, keys, home, every = repeatedly, now = Date.now } = options;
  if (address === undefined) return undefined;
  const { replicas, passphrase } = sharedOf(store, env);
  const origin = originOf(address);
  replicas.announce(origin);
  const { records } = replicas;
  const signature = peerSignature(passphrase, now);
  const settings = home === undefined ? undefined : sharedSettings({ home, records });
  let watching: Watch | undefined;
  let isStopped = false;
  return {
    address: origin,
    signature,
    ...peers({ replicas, address: origin, key: keys[0] ?? '', signature, delay, now: monotonicNow }),
    tokens: sharedTokens(replicas, 'conversations'),
    webhooks: { tokens: sharedTokens(replicas, 'webhooks'), lists: recordsIn('webhooks_running', records) },
    commands: sharedCommands({ records, every, now }),
    settings,
    abandon: (...abandoned) => replicas.abandon(...abandoned),
    async watch(work) {
      if (isStopped) return;
      const recover = exceptWanted(
        work,
        wantedConversations({ records, address: origin, now: monotonicNow }),
        settings,
      );
      watching ??= watchAbandoned({ ...work, replicas, address: origin, recover, every, now: monotonicNow });
      // The first replica shares its files.
      await settings?.change(async () => undefined);
    },
    look: () => watching?.look(),
    stop() {
      isStopped = true;
      watching?.[Symbol.dispose]();
    },
    check: () => checkPort(origin),
  };
}

function sharedOf({ replicas }: EventStore, { OH_SECRET_KEY: passphrase }: Variables) {
  if (!replicas) throw new ServerError('invalid', 'The store of a replica is a PostgreSQL database.');
  if (!passphrase) throw new ServerError('invalid', 'Replicas need the same OH_SECRET_KEY.');
  return { replicas, passphrase };
}

/** Gives up what other replicas want, and continues the rest with the settings that they have shared. */
function exceptWanted(
  { recover, giveUp, onFailure }: ReplicaWork,
  wanted: Wanted,
  settings: SharedSettings | undefined,
): WatchOptions['recover'] {
  return async (ids) => {
    const given = await wanted.look();
    for (const id of given)
      onFailure(new ServerError('address', `Another replica cannot reach this one, which gives up ${id}.`));
    await Promise.all(given.map(giveUp));
    const own = ids.filter((id) => !wanted.isForOthers(id));
    if (own.length > 0) await settings?.pull();
    await recover(own);
  };
}

async function delay(ms: number): Promise<void> {
  await setTimeout(ms, undefined, { ref: false });
}

/** Returns milliseconds of a clock that is never set. */
export function monotonicNow(): number {
  return performance.now();
}

/** Asks this machine, where the port is free or the own one: only whether `fetch` refuses to use it matters. */
async function checkPort(origin: string): Promise<void> {
  const { port } = new URL(origin);
  const request = { method: 'HEAD', signal: AbortSignal.timeout(1_000) };
  const error: unknown = await fetch(`http://127.0.0.1:${port}`, request).catch((failure: unknown) => failure);
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error) || cause.message !== 'bad port') return;
  throw new ServerError('invalid', `The address ${origin} of a replica has a port that HTTP clients refuse.`);
}

function originOf(address: string): string {
  const url = URL.parse(address);
  if (url && ['http:', 'https:'].includes(url.protocol) && url.pathname === '/') return url.origin;
  throw new ServerError('invalid', `The address ${JSON.stringify(address)} of a replica is not http://HOST:PORT.`);
}
