// Uses records of other systems as these do: a stream of events, a replay, filters, chat messages, keys, truncation.
import {
  chatMessagesOf,
  eventOfChatMessage,
  EventStream,
  readKeyFile,
  replayPlan,
  shouldIncludeEvent,
  truncationOf,
} from '@varve/compat';
import { eventCodec } from '@varve/events';
import { builtinKinds } from '@varve/events/kinds';
import { readRecords, type V0Record } from '@varve/interop/records';
import { ed25519Signer } from '@varve/storage';

// OpenHands V0: records get dense ids, are stored and then delivered.
const stored = new Map<string, string>();
const files = {
  read: (path: string) => Promise.resolve(stored.get(path)),
  write: (path: string, text: string) => Promise.resolve(void stored.set(path, text)),
  list: (directory: string) =>
    Promise.resolve(
      [...stored.keys()].flatMap((path) => (path.startsWith(directory) ? path.slice(directory.length + 1) : [])),
    ),
};
const stream = await EventStream.open({ files, now: Date.now });
stream.subscribe('printer', ({ id, action }) => console.log('record', id, action), 'main');
await stream.add({ action: 'message', args: { content: 'List the files.' } }, 'user');
await stream.add({ action: 'run', args: { command: 'ls' } }, 'agent');
await stream.close();
const records: readonly V0Record[] = await Array.fromAsync(stream.search());
const { initial, actions } = replayPlan(records);
console.log('replay of', initial['action'], 'then', actions.map(({ action }) => action).join());

// orxhestra: events are chat messages, some of which a model does not see.
const stamp = { id: 'e1', timestamp: 0, agent_name: 'helper' };
const events = ['Hello.', ''].map((content) => eventOfChatMessage({ role: 'assistant', content }, stamp));
console.log('seen:', JSON.stringify(events.filter(shouldIncludeEvent).flatMap(chatMessagesOf)));
const seed = crypto.getRandomValues(new Uint8Array(32));
const { did } = ed25519Signer(seed);
const keyFile = JSON.stringify({ did_key: did, private_key_b64: Buffer.from(seed).toString('base64') });
console.log('key of the file:', ed25519Signer(readKeyFile(keyFile)).did === did);

// mcpbench: a truncation deletes the first turns.
const codec = eventCodec(builtinKinds);
const { entries } = readRecords(records, { newId: () => crypto.randomUUID() });
const log = entries.map(({ text }) => codec.decode(text));
const { record } = truncationOf(log, { method: 'keep_recent_turns', value: 1, timestamp: '2026-01-01T00:00:00' });
console.log('deleted turns:', record.deleted_turns, 'at turn', record.at_turn);
