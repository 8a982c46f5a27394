// Appends events to a log and reads them back: exact text, one writer, safe to send again.
import { memoryStore, StorageError } from '@varve/storage';

await using store = memoryStore();
await using log = await store.create('diary', { title: 'A diary' });

const first = {
  id: 'a1b2c3d4',
  kind: 'MessageEvent',
  parentId: undefined,
  text: '{"id":"a1b2c3d4","kind":"MessageEvent"}',
};
console.log('appended at', await log.append([first]));
console.log('sent again ', await log.append([first]));

// A caller that expects an empty log gets an error and overwrites nothing.
const second = { ...first, id: 'e5f60718', parentId: first.id, text: '{"id":"e5f60718","kind":"MessageEvent"}' };
await log.append([second], { expectedHead: 0 }).catch((error: unknown) => {
  if (error instanceof StorageError) console.log(error.code);
});

for await (const { seq, text } of log.range(0)) console.log(seq, text);
