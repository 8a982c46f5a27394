// Writes a store with `@varve/storage/kit`: one file of JSON lines per conversation, with leases, seals and fencing.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StorageError, verify } from '@varve/storage';
import { jsonLinesStore } from './json-lines-store/json-lines-store.ts';

const path = await mkdtemp(join(tmpdir(), 'json-lines-'));
const event = { id: 'a', kind: 'Note', parentId: undefined, text: '{"id":"a","kind":"Note"}' };

let minutes = 0;
const now = (): number => minutes * 60_000;
await using store = jsonLinesStore({ path, now });
const log = await store.create('diary', { title: 'A diary' });
console.log('stored at', await log.append([event]));

// A second store is another process. It takes over the lease after it has expired.
minutes = 1;
await using other = jsonLinesStore({ path, now });
const next = await other.open('diary');
await log.append([{ ...event, id: 'b' }]).catch((error: unknown) => {
  if (error instanceof StorageError) console.log(error.code);
});
console.log('stored at', await next.append([{ ...event, id: 'c', text: '{"id":"c","kind":"Note"}' }]));

const { head, sealed, broken } = await verify(await store.read('diary'));
console.log(`${head} events, ${sealed} sealed, ${broken ? broken.message : 'unchanged'}`);

for (const line of (await readFile(join(path, 'diary.jsonl'), 'utf8')).split('\n').filter(Boolean)) {
  const { epoch, holder, events = [] } = JSON.parse(line);
  const ids = events.map(({ id }: { readonly id: string }) => id);
  console.log(`epoch ${epoch}: ${holder ? 'takes the lease' : `adds ${ids.join(', ')}`}`);
}
await rm(path, { recursive: true });
