import type { Stored } from '../contract/log-reader.ts';

/** The ids of events, in order. */
export async function idsOf(events: AsyncIterable<Stored> | readonly Stored[]): Promise<string[]> {
  return (await Array.fromAsync(events)).map(({ id }) => id);
}
