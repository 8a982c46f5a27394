import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A model server in a separate process, so that its work is not measured. It waits for the milliseconds of its
 * argument, then answers every request with one call of the tool `note`, written as text below `/text`. For each
 * request except the first it records the length, and the client's time from the last byte of the previous reply to
 * the last byte of the request. GET /requests returns these records and clears them.
 */
const requests: { ms: number; bytes: number }[] = [];
const thinkingMs = Number(process.argv[2]);
let repliedAt: number | undefined;
let calls = 0;

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(requests.splice(0)));
    repliedAt = undefined;
    return;
  }
  const bytes = await lengthOf(request);
  if (repliedAt !== undefined) requests.push({ ms: performance.now() - repliedAt, bytes });
  const reply = JSON.stringify(request.url?.startsWith('/text/') ? textCompletion(++calls) : completion(++calls));
  if (thinkingMs > 0) await setTimeout(thinkingMs);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(reply) });
  response.end(reply, () => (repliedAt = performance.now()));
});

async function lengthOf(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await once(request, 'end');
  return bytes;
}

function completion(index: number): object {
  const call = {
    id: `call_${index}`,
    type: 'function',
    function: { name: 'note', arguments: `{"text":"note ${index}"}` },
  };
  return {
    id: `reply-${index}`,
    object: 'chat.completion',
    created: 0,
    model: 'bench',
    choices: [
      { index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', content: null, tool_calls: [call] } },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function textCompletion(index: number): object {
  const content = `<function=note>\n<parameter=text>note ${index}</parameter>\n</function>`;
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
  return { ...completion(index), choices };
}

server.listen(0, '127.0.0.1', () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('disconnect', () => process.exit(0));
