import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import type { PrivateRecords } from '@varve/settings/secrets';
import * as z from 'zod';
import type { WebhookOptions } from './webhook-options.ts';

/** Seq of the next event for each receiver, by its address. */
export type Positions = Map<string, number>;

/** Stored positions of conversations. @throws {SettingsError} `io`, and errors of a store. */
export interface PositionRecords {
  /** Returns positions; undefined without any, and for those encrypted with another key, which is reported. */
  read(id: string): Promise<Positions | undefined>;
  write(id: string, positions: Positions): Promise<void>;
  remove(id: string): Promise<void>;
}

const schema = lazy(() => z.record(z.string(), z.int().nonnegative()));

/** Stores positions in private records. */
export function positionRecords(records: PrivateRecords, onFailure: (error: unknown) => void): PositionRecords {
  return {
    async read(id) {
      try {
        const text = await records.read(id);
        return text === undefined ? undefined : new Map(Object.entries(schema().parse(JSON.parse(text))));
      } catch (error) {
        if (!(error instanceof SettingsError) || error.code !== 'invalid') throw error;
        onFailure(error);
        return undefined;
      }
    },
    write: (id, positions) => records.write(id, JSON.stringify(Object.fromEntries(positions))),
    remove: (id) => records.remove(id),
  };
}

/** Returns the positions of receivers, none after the `head` of the log. Those that are new begin with `first`. */
export function positionsOf(
  receivers: readonly WebhookOptions[],
  stored: Positions | undefined,
  { first, head }: { readonly first: number; readonly head: number },
): Positions {
  return new Map(receivers.map(({ base_url: url }) => [url, Math.min(stored?.get(url) ?? first, head)]));
}
