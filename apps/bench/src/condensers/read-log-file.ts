import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventCodec, type BaseEvent } from '@varve/events';
import { maskFact } from '@varve/events/facts';
import { builtinKinds, Condensation, CondensationRequest } from '@varve/events/kinds';
import { Timeline, type LogEntry, type Projection } from '@varve/events/projections';
import * as z from 'zod';

const codec = eventCodec(builtinKinds);
const link = z.object({ id: z.string(), kind: z.string(), parent_id: z.string().optional() });

/** Collects the events of the active branch, apart from its condensations and masks. */
const branchEvents: Projection<readonly BaseEvent[]> = {
  name: 'events',
  version: 1,
  scope: 'branch',
  initial: () => [],
  apply: (events, event) => {
    const isCondensation = Condensation.is(event) || CondensationRequest.is(event) || maskFact.read(event);
    return isCondensation ? events : [...events, event];
  },
  read: (events) => events,
  encode: () => [],
  decode: () => [],
};

/**
 * Reads the active branch of a log: a file with an event per line, as `varve show ID --json` prints it, or a directory
 * with a file per event. Condensations and masks are left out.
 */
export async function readLogFile(path: string): Promise<readonly BaseEvent[]> {
  const texts = (await stat(path)).isDirectory() ? await textsIn(path) : (await readFile(path, 'utf8')).split('\n');
  const entries = texts.filter((text) => text.trim() !== '').map(entryOf);
  const timeline = new Timeline({ codec, projections: { events: branchEvents } });
  await timeline.load((from) => entries.slice(from));
  return timeline.read('events');
}

async function textsIn(path: string): Promise<readonly string[]> {
  const names = (await readdir(path)).filter((name) => /^event-\d+-.*\.json$/.test(name)).toSorted();
  return Promise.all(names.map((name) => readFile(join(path, name), 'utf8')));
}

function entryOf(text: string, seq: number): LogEntry {
  const { id, kind, parent_id: parentId } = link.parse(JSON.parse(text));
  return { seq, id, kind, parentId, text };
}
