// Imports the log of another agent system into a store: recognises its format, reads it, stores it as history.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Conversation, readState } from '@varve/agent';
import { filesAt, readLogs } from '@varve/interop';
import { memoryStore } from '@varve/storage';

const path = join(await mkdtemp(join(tmpdir(), 'varve-')), 'trajectory.json');
const trajectory = [
  { id: 0, source: 'user', action: 'message', args: { content: 'List the files.' } },
  { id: 1, source: 'agent', action: 'message', args: { content: 'There is one: a.txt.' } },
];
await writeFile(path, JSON.stringify(trajectory));

await using store = memoryStore();
for (const log of await readLogs(await filesAt(path))) {
  const { id, openCalls } = await Conversation.importLog(log, { store });
  const { status, view } = await readState(await store.read(id));
  console.log(status, view.events.length, 'events,', openCalls, 'open calls,', log.problems.length, 'problems');
}
