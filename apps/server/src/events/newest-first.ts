import type { LogReader, Stored } from '@varve/storage';

/** Number of events per read. */
const block = 128;

/** Yields the events before seq `end`, newest first. */
export async function* newestFirst(log: LogReader, end: number): AsyncGenerator<Stored> {
  for (let to = end; to > 0; to -= block) {
    const events = await Array.fromAsync(log.range(Math.max(0, to - block), to));
    yield* events.toReversed();
  }
}
