import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/**
 * A model server in a separate process, so that its work is not measured. It waits for the milliseconds of its
 * argument, then answers every request with one call of the tool `note`, written as text below `/text`. For each
 * request except the first it records the length, and the client's time from the last byte of the previous reply to
 * the last byte of the request, and its own processor time since then. GET /requests returns these records and clears
 * them. A request for a stream receives the same reply in three events.
 */
const requests: { ms: number; bytes: number; serverCpuMs: number }[] = [];
const thinkingMs = Number(process.argv[2]);
let repliedAt: number | undefined;
let usedBefore = process.cpuUsage();
let calls = 0;

const server = createServer(async (request, response) => {
  if (request.method === 'GET') {
    response.end(JSON.stringify(requests.splice(0)));
    repliedAt = undefined;
    return;
  }
  const { bytes, isStreamed } = await readBody(request);
  if (repliedAt !== undefined) {
    const { user, system } = process.cpuUsage(usedBefore);
    requests.push({ ms: performance.now() - repliedAt, bytes, serverCpuMs: (user + system) / 1000 });
  }
  usedBefore = process.cpuUsage();
  const reply = completion(++calls);
  if (thinkingMs > 0) await setTimeout(thinkingMs);
  const whole = request.url?.startsWith('/text/') ? textCompletion(calls) : reply;
  const text = isStreamed ? eventsOf(reply) : JSON.stringify(whole);
  const type = isStreamed ? 'text/event-stream' : 'application/json';
  response.writeHead(200, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text, () => (repliedAt = performance.now()));
});

async function readBody(request: IncomingMessage): Promise<{ bytes: number; isStreamed: boolean }> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  await once(request, 'end');
  const body = Buffer.concat(chunks);
  return { bytes: body.length, isStreamed: body.includes('"stream":true') };
}

/** Returns a reply as the events of a stream: the start, the call, and the end with the usage. */
function eventsOf({ choices, usage, ...rest }: ReturnType<typeof completion>): string {
  const event = (fields: object): string =>
    `data: ${JSON.stringify({ ...rest, object: 'chat.completion.chunk', choices: [], ...fields })}\n\n`;
  const events = choices.map(({ index, message, finish_reason }) => {
    const pieces = message.tool_calls.map((call, at) => ({ index: at, ...call }));
    const deltas = [{ delta: { role: 'assistant' } }, { delta: { tool_calls: pieces } }, { delta: {}, finish_reason }];
    return deltas.map((delta) => event({ choices: [{ index, ...delta }] })).join('');
  });
  return `${events.join('')}${event({ usage })}data: [DONE]\n\n`;
}

function completion(index: number) {
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
