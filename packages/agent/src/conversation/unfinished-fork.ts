import { z } from 'zod';
import type { EventCodec, Json } from '@varve/events';
import { StorageError, type EventLog, type EventStore } from '@varve/storage';
import { copyLog } from './copy-log.ts';
import { AgentError } from '../error.ts';

/** What the configuration of a fork says until it is whole. */
export interface UnfinishedFork {
  /** The conversation it comes from. */
  readonly of: string;
  /** How many of its events it begins with. */
  readonly events: number;
  /** Where it goes on from; null is before everything. */
  readonly leaf: string | null;
}

const schema = z.object({ of: z.string(), events: z.number().int().nonnegative(), leaf: z.string().nullable() });
const meta = z.looseObject({ fork: schema });

/** Whether a conversation is a fork that nobody finished, because its process died; and how to finish it. */
export function unfinishedFork(stored: Json): UnfinishedFork | undefined {
  return meta.safeParse(stored).data?.fork;
}

/** A configuration without that mark. */
export function asFinished(stored: Json): Json {
  const { fork: _fork, ...rest } = stored as Readonly<Record<string, Json>>;
  return rest;
}

/**
 * Copies what a fork lacks of the conversation it comes from.
 *
 * @throws {AgentError} `incomplete` when that is gone.
 */
export async function copyRest(
  { of, events }: UnfinishedFork,
  { store, log, codec }: { readonly store: EventStore; readonly log: EventLog; readonly codec: EventCodec },
): Promise<void> {
  if ((await log.head()) >= events) return;
  const origin = await store.read(of).catch((error: unknown) => {
    if (!(error instanceof StorageError && error.code === 'missing')) throw error;
    const what = `Conversation ${log.id} is a fork that was not finished, and ${of}, where it comes from, is gone: remove it.`;
    throw new AgentError('incomplete', what, { cause: error });
  });
  await copyLog(origin, log, codec, events);
}
