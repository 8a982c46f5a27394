import type { LogReader, Stored } from '@varve/storage';

/** How many events are read at once. */
const block = 128;

/** The events before seq `end`, newest first. */
export async function* newestFirst(log: LogReader, end: number): AsyncGenerator<Stored> {
  for (let to = end; to > 0; to -= block) {
    const events = await Array.fromAsync(log.range(Math.max(0, to - block), to));
    yield* events.toReversed();
  }
}
