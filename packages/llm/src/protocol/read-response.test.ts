import { deepFreeze, text } from '@varve/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Delta } from '../delta.ts';
import type { ModelReply } from '../model-reply.ts';
import { userRequest, type ScriptedTurn } from '../testing/index.ts';
import { script } from '../testing/script/script.ts';
import { chatChunks, chatCompletion } from '../testing/servers/chat-completion.ts';
import { openaiChat } from '../chat/openai-chat.ts';

type Fetch = typeof globalThis.fetch;

/** Responds with a body in these pieces. */
function answering(type: string, pieces: readonly Uint8Array[]): Fetch {
  return async () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return new Response(body, { headers: { 'content-type': type } });
  };
}

/** Responds with a body that breaks off after these pieces. */
function breaking(pieces: readonly Uint8Array[]): Fetch {
  return async () => {
    const left = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift();
        if (piece) controller.enqueue(piece);
        else controller.error(new TypeError('terminated'));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
}

async function replyTo(fetch: Fetch, deltas: Delta[] = []): Promise<Omit<ModelReply, 'latencyMs'>> {
  const model = openaiChat({ model: 'm', baseUrl: 'http://x.test', fetch });
  const { latencyMs: _latency, ...reply } = await model.generate(userRequest('Hi'), {
    onDelta: (delta) => void deltas.push(delta),
  });
  return reply;
}

/** Cuts at these positions, modulo the length. */
function cut<T extends string | Uint8Array>(whole: T, places: readonly number[]): T[] {
  const at = [...new Set(places.map((place) => place % (whole.length + 1)))].toSorted((a, b) => a - b);
  return [...at, whole.length].map((end, index) => whole.slice(at[index - 1] ?? 0, end) as T);
}

const words = fc.string({ unit: 'grapheme', maxLength: 40 });
const call = fc.record({
  id: fc.uuid(),
  name: fc.constantFrom('grep', 'think'),
  arguments: fc.dictionary(words, words),
});
const turn: fc.Arbitrary<ScriptedTurn> = fc
  .record({
    text: words,
    reasoning: words,
    calls: fc.array(call, { maxLength: 3 }),
    id: fc.uuid(),
    costUsd: fc.constant(0.5),
  })
  .filter((each) => each.text.trim() !== '' || each.calls.length > 0);

test('a reply is the same wherever its text and its bytes are cut', async () => {
  const places = fc.array(fc.nat(), { maxLength: 20 });
  const lineEnd = fc.constantFrom('\n', '\r\n');
  await fc.assert(
    fc.asyncProperty(turn, places, places, lineEnd, async (scripted, textCuts, byteCuts, newline) => {
      const played = await script([scripted]).next(userRequest('Hi'));
      const json = new TextEncoder().encode(JSON.stringify(chatCompletion(played, 'm')));
      const chunks = chatChunks(played, 'm', (whole) => cut(whole, textCuts));
      const lines = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
      const stream = new TextEncoder().encode(lines.map((data) => `data: ${data}${newline}${newline}`).join(''));
      const whole = await replyTo(answering('application/json', [json]));
      expect(await replyTo(answering('text/event-stream', cut(stream, byteCuts)))).toEqual(whole);
    }),
    { numRuns: 150 },
  );
});

test('one JSON response to a streaming request is a reply, with deltas', async () => {
  const deltas: Delta[] = [];
  const played = await script([{ text: 'Whole.' }]).next(userRequest('Hi'));
  const json = new TextEncoder().encode(`\n  ${JSON.stringify(chatCompletion(played, 'm'))}`);
  const reply = await replyTo(answering('application/json', [json]), deltas);
  expect([reply.message.content, deltas]).toEqual([[text('Whole.')], [{ kind: 'text', text: 'Whole.' }]]);
});

test('a stream with another content type is read as a stream', async () => {
  const cutShort = ': PROCESSING\n\ndata: {"choices":[{"delta":{"content":"Hi"}}]}\n\n';
  const whole = `${cutShort}data: [DONE]\n\n`;
  for (const type of ['application/json', 'text/plain']) {
    const reply = await replyTo(answering(type, [new TextEncoder().encode(whole)]));
    expect(reply.message.content).toEqual([text('Hi')]);
    const broken = replyTo(answering(type, [new TextEncoder().encode(cutShort)]));
    await expect(broken).rejects.toMatchObject({ code: 'unavailable' });
  }
});

test('a stream without a finish reason but with an end marker is complete', async () => {
  const stream = 'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n';
  const reply = await replyTo(answering('text/event-stream', [new TextEncoder().encode(stream)]));
  expect([reply.finish, reply.message.content]).toEqual(['unknown', [text('Hi')]]);
});

test('text after a finish reason belongs to the reply, which is complete at its real end only', async () => {
  const pieces = ['The', ' whole', ' reply.'].map(
    (content) => `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: 'stop' }] })}\n\n`,
  );
  const bytes = pieces.map((piece) => new TextEncoder().encode(piece));
  const reply = await replyTo(answering('text/event-stream', bytes));
  expect(reply.message.content).toEqual([text('The whole reply.')]);
  await expect(replyTo(breaking(bytes))).rejects.toMatchObject({ code: 'unavailable' });
  expect((await replyTo(breaking(bytes.slice(0, 1)))).message.content).toEqual([text('The')]);
});

test('an unclosed last line is ignored when it is incomplete', async () => {
  const stream = 'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: {"usage":{"prompt_tok';
  const reply = await replyTo(answering('text/event-stream', [new TextEncoder().encode(stream)]));
  expect([reply.finish, reply.usage]).toEqual(['stop', undefined]);
});

test('ten megabytes of arguments in small pieces are joined', async () => {
  const json = JSON.stringify({ text: 'x'.repeat(10_000_000) });
  const played = await script([{ calls: [{ name: 'write', arguments: json }] }]).next(deepFreeze(userRequest('Hi')));
  const chunks = chatChunks(played, 'm', (whole) => whole.match(/.{1,10000}/gs) ?? []);
  const lines = chunks.map((chunk) => new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
  const reply = await replyTo(answering('text/event-stream', lines));
  expect(reply.message.tool_calls?.[0]?.arguments.length).toBe(json.length);
});

const silent: Fetch = async () =>
  new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } });

test('a stream without data after its head is a timeout', async () => {
  const model = openaiChat({ model: 'm', baseUrl: 'http://x.test', fetch: silent, stream: true, idleTimeoutMs: 30 });
  const message = 'm at http://x.test/v1 was silent for 30 ms.';
  await expect(model.generate(userRequest('Hi'))).rejects.toMatchObject({ code: 'timeout', message });
});
