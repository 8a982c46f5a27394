import { lazy } from '@varve/events';
import { SettingsError } from '@varve/settings';
import type { PrivateRecords } from '@varve/settings/secrets';
import * as z from 'zod';

/** Seq of the next event for each receiver, by its address. */
export type Positions = Map<string, number>;

const schema = lazy(() => z.record(z.string(), z.int().nonnegative()));

/**
 * Reads the positions of a conversation; undefined without any, and for those that were encrypted with another key,
 * which is reported.
 *
 * @throws {SettingsError} `io`, and errors of a store.
 */
export async function readPositions(
  records: PrivateRecords,
  id: string,
  onFailure: (error: unknown) => void,
): Promise<Positions | undefined> {
  try {
    const text = await records.read(id);
    return text === undefined ? undefined : new Map(Object.entries(schema().parse(JSON.parse(text))));
  } catch (error) {
    if (!(error instanceof SettingsError) || error.code !== 'invalid') throw error;
    onFailure(error);
    return undefined;
  }
}

/** Replaces the positions of a conversation. @throws {SettingsError} `io`, and errors of a store. */
export async function writePositions(records: PrivateRecords, id: string, positions: Positions): Promise<void> {
  await records.write(id, JSON.stringify(Object.fromEntries(positions)));
}
