import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { text, timestamps } from '@varve/events';
import { callFact } from '@varve/events/facts';
import { MessageEvent } from '@varve/events/kinds';
import type { OtlpTraces } from '@varve/events/spans';
import { activeBranch } from '../../src/index.ts';
import { readChat } from '../../src/chat/read-chat.ts';
import { otlpFormat } from '../../src/otel/otlp-format.ts';
import { htmlFormat } from '../../src/transcripts/html.ts';
import { markdownFormat } from '../../src/transcripts/markdown.ts';
import { countedIds } from '../fixture.ts';

const hostile = 'A </pre><script>alert(1)</script> & "b" \u001b[31m\n````\n# no heading';
const chat = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: hostile },
    {
      role: 'assistant',
      content: 'I look.',
      tool_calls: [{ id: 'c1', function: { name: 'look<b>`', arguments: '{"path":"a.txt"}' } }],
    },
    { role: 'tool', content: hostile, tool_call_id: 'c1' },
    { role: 'assistant', content: 'Done.' },
  ],
};

async function events() {
  const { entries } = readChat(chat, { newId: countedIds() });
  return (await activeBranch(entries)).events;
}

const id = 'a'.repeat(32);
const golden = (name: string) => fileURLToPath(new URL(`../golden/${name}`, import.meta.url));

test('the Markdown transcript keeps every text in a fence that the text cannot end', async () => {
  const [file] = markdownFormat.write?.({ id, title: 'A *title*\u001b[31m', events: await events() }).files ?? [];
  await expect(file?.text).toMatchFileSnapshot(golden('transcript.md'));
  expect(file?.text).toContain('`````text\n');
  expect(file?.text).not.toContain('\u001b');
});

test('the HTML transcript shows hostile texts and runs nothing of them', async () => {
  const output = htmlFormat.write?.({ id, title: '<i>title</i>\u001b[31m', events: await events() });
  const [file] = output?.files ?? [];
  await expect(file?.text).toMatchFileSnapshot(golden('transcript.html'));
  expect(file?.text).not.toMatch(/<script|<b>|<i>/);
  expect(file?.text).not.toContain('\u001b');
  expect(file?.text).toContain("default-src 'none'");
});

test('spans have the ids, times and counts of the log, and no texts', async () => {
  const stamp = timestamps(() => Date.UTC(2026, 0, 1));
  const fact = callFact.create(
    {
      response_id: 'r1',
      actions: [],
      usage_id: 'agent',
      model: 'm',
      finish: 'stop',
      usage: { input_tokens: 10, output_tokens: 5, cache_read_tokens: 2, cache_write_tokens: 0, reasoning_tokens: 0 },
      latency_ms: 1500.5,
      digests: { messages: '', tools: '', parameters: '' },
      projections: {},
      at: Date.UTC(2026, 0, 1, 0, 0, 3),
    },
    { id: '00000000-ca11', timestamp: stamp() },
  );
  const content = { source: 'user', llm_message: { role: 'user', content: [text('A secret.')] } } as const;
  const message = MessageEvent.create(content, { id: '00000000-0e55', timestamp: stamp() });
  const log = [message, fact, ...(await events())];
  const [file] = otlpFormat.write?.({ id, events: log }).files ?? [];
  const request = JSON.parse(file?.text ?? '') as OtlpTraces;
  const [{ resource, scopeSpans }] = request.resourceSpans;
  expect(resource).toEqual({ attributes: [{ key: 'service.name', value: { stringValue: 'varve' } }] });
  expect(scopeSpans[0].spans.map((span) => Object(span) as object)).toMatchObject([
    { name: 'chat m', startTimeUnixNano: '1767225601499500000', endTimeUnixNano: '1767225603000000000', kind: 3 },
    { name: 'execute_tool look<b>`' },
    { name: 'invoke_agent varve' },
    { name: 'step' },
  ]);
  expect(file?.text).not.toContain('secret');
});
