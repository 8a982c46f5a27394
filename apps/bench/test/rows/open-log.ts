import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Conversation, defineAgent } from '@varve/agent';
import { openaiChat } from '@varve/llm';
import { sqliteStore } from '@varve/storage/sqlite';
import { defineTool } from '@varve/tools';
import { note } from '../../src/loops/note.ts';

// Prints the milliseconds to open a conversation, and from there to its next request. Closing it saves a snapshot.
const [dir = '', id = ''] = process.argv.slice(2);
const server = createServer((_, response) => void response.writeHead(400).end('{}')).listen(0, '127.0.0.1');
await once(server, 'listening');
const requested = once(server, 'request').then(() => performance.now());
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const tool = defineTool({ ...note, effect: 'write', execute: async () => note.result });
const agent = defineAgent({ model: openaiChat({ model: 'bench', baseUrl }), tools: () => [tool] });
const start = performance.now();
await using store = await sqliteStore({ path: join(dir, 'bench.db') });
await using conversation = await Conversation.open({ agent, store, id, workspace: dir });
const opened = performance.now();
await conversation.send('Go on.');
// A log that ends in a call has its outcome before the next request.
await conversation.run({ maxIterations: 2 }).catch(() => undefined);
console.log(JSON.stringify({ open: opened - start, request: (await requested) - start }));
server.close();
