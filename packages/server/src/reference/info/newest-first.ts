import type { LogReader, Stored } from '@varve/storage';

/** Number of events per read. */
const block = 128;

/** Yields the events from seq `start` on and before seq `end`, newest first. */
export async function* newestFirst(log: LogReader, end: number, start = 0): AsyncGenerator<Stored> {
  for (let to = end; to > start; to -= block) {
    const events = await Array.fromAsync(log.range(Math.max(start, to - block), to));
    yield* events.toReversed();
  }
}
