import { alwaysConfirm, defineAgent, type AgentOptions } from '@varve/agent';
import { createHost, type Host } from '@varve/host';
import { openaiChat, retry } from '@varve/llm';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { defineTool, finish } from '@varve/tools';
import {
  AbstractChat,
  createUIMessageStreamResponse,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type UIMessage,
} from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { uiMessages, uiMessageStream } from '@varve/ai-sdk';

const weather = defineTool({
  name: 'weather',
  description: 'Returns the weather of a city.',
  input: z.object({ city: z.string().describe('The city.') }),
  effect: 'read',
  execute: async ({ city }) => `Rain in ${city}.`,
});
const lookUp: ScriptedStep = {
  reasoning: 'A city.',
  text: 'I look it up.',
  calls: [{ name: 'weather', arguments: { city: 'Bergen' } }],
};
const done: ScriptedStep = { calls: [{ name: 'finish', arguments: { message: 'It rains in Bergen.' } }] };

/** The logic of `useChat`, as it runs in a page. */
class Page extends AbstractChat<UIMessage> {
  constructor(handler: typeof globalThis.fetch, messages: UIMessage[] = []) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => void (state.messages[index] = structuredClone(message)),
      snapshot: (value) => structuredClone(value),
    };
    super({
      id: 'chat-1',
      state,
      transport: new DefaultChatTransport({ api: 'http://localhost/api/chat', fetch: handler }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }

  /** Parts of the last message, without what only a page has. */
  get shown(): unknown {
    return withoutIds(this.lastMessage?.parts ?? []);
  }
}

/** Only the page of a stream knows ids of parts and the metadata of calls; a stored text is always complete. */
function withoutIds(parts: readonly object[]): unknown {
  return parts.map((part) => {
    const { id: _id, state, ...rest }: { readonly id?: string; readonly state?: string } = part;
    return JSON.parse(JSON.stringify(state === 'done' ? rest : { ...rest, state })) as unknown;
  });
}

async function open(steps: readonly ScriptedStep[], options: Partial<AgentOptions> = {}) {
  const server = await scriptedServer(steps);
  const store = memoryStore();
  const model = retry({ sleep: async () => undefined })(openaiChat({ model: 'm', baseUrl: server.url }));
  const agent = defineAgent({ model, tools: [weather, finish()], ...options });
  const host = createHost({ store, agents: { chat: agent } });
  await host.create({ agent: 'chat', id: 'chat-1' });
  const handler: typeof globalThis.fetch = async (_url, init) => {
    const message = init?.body
      ? (JSON.parse(init.body as string) as { messages: UIMessage[] }).messages.at(-1)
      : undefined;
    const stream = await host.use('chat-1', (hosted) => uiMessageStream(hosted, message));
    return stream ? createUIMessageStreamResponse({ stream }) : new Response(null, { status: 204 });
  };
  return {
    host,
    handler,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const history = (host: Host) => host.use('chat-1', ({ conversation }) => uiMessages(conversation.events()));

const answered = [
  { type: 'step-start' },
  { type: 'reasoning', text: 'A city.' },
  { type: 'text', text: 'I look it up.' },
  { type: 'tool-weather', input: { city: 'Bergen' }, state: 'output-available', output: 'Rain in Bergen.' },
  { type: 'step-start' },
  { type: 'text', text: 'It rains in Bergen.' },
];

test('a reply with a call and its result is streamed, and is the same after a reload', async () => {
  await using chat = await open([lookUp, done]);
  const page = new Page(chat.handler);
  await page.sendMessage({ text: 'Weather?' });
  expect(page.shown).toMatchObject(answered);
  const [question, reply] = await history(chat.host);
  expect(question).toMatchObject({ role: 'user', parts: [{ type: 'text', text: 'Weather?' }] });
  expect(withoutIds(reply?.parts ?? [])).toMatchObject(answered);
  expect(reply?.id).toBe(page.lastMessage?.id);
  await page.resumeStream();
  expect(page.shown).toMatchObject(answered);
});

test('an approved call runs, and a rejected one does not', async () => {
  for (const approved of [true, false]) {
    await using chat = await open([lookUp, done], { confirmation: alwaysConfirm() });
    const page = new Page(chat.handler);
    await page.sendMessage({ text: 'Weather?' });
    const waiting = (await history(chat.host)).at(-1)?.parts.at(-1);
    expect(page.lastMessage?.parts.at(-1)).toMatchObject({ state: 'approval-requested' });
    expect(waiting).toMatchObject({ state: 'approval-requested' });
    // After a reload, which knows the history only.
    const reloaded = new Page(chat.handler, await history(chat.host));
    const id = waiting && 'approval' in waiting ? (waiting.approval?.id ?? '') : '';
    await reloaded.addToolApprovalResponse({ id, approved, reason: 'Not now.' });
    await expect.poll(() => reloaded.status === 'ready' && reloaded.lastMessage?.parts.length).toBe(6);
    const state = approved ? 'output-available' : 'output-denied';
    expect(reloaded.lastMessage?.parts[3]).toMatchObject({ type: 'tool-weather', state });
    expect((await history(chat.host)).at(-1)?.parts[3]).toMatchObject({ type: 'tool-weather', state });
    expect(reloaded.lastMessage?.parts.at(-1)).toMatchObject({ text: 'It rains in Bergen.' });
  }
});

test('a page that opens in the middle of a reply shows what has arrived of it, and its end', async () => {
  const text = 'A long answer about the rain.';
  await using chat = await open([lookUp, { text, fault: { kind: 'hang', afterPieces: 3 } }]);
  const first = new Page(chat.handler);
  const sent = first.sendMessage({ text: 'Weather?' });
  await expect.poll(() => JSON.stringify(first.lastMessage?.parts)).toContain('A long ');
  const second = new Page(chat.handler, await history(chat.host));
  const resumed = second.resumeStream();
  await expect.poll(() => JSON.stringify(second.lastMessage?.parts)).toContain('A long ');
  expect(second.messages).toHaveLength(2);
  await chat.host.use('chat-1', (hosted) => hosted.interrupt());
  await Promise.all([sent, resumed]);
  expect([first.status, second.status]).toEqual(['ready', 'ready']);
});

test('pieces of a reply that is sent again are replaced', async () => {
  const text = 'It rains in Bergen today.';
  await using chat = await open([{ text, fault: { kind: 'reset', afterPieces: 3 } }, { text }]);
  const page = new Page(chat.handler);
  await page.sendMessage({ text: 'Weather?' });
  expect(page.shown).toMatchObject([{ type: 'step-start' }, { type: 'text', text }]);
});

test('a message that is sent again is stored once', async () => {
  await using chat = await open([{ text: 'Yes.' }]);
  const page = new Page(chat.handler);
  await page.sendMessage({ text: 'Is it raining?' });
  await page.regenerate();
  expect(page.shown).toMatchObject([{ type: 'step-start' }, { type: 'text', text: 'Yes.' }]);
  expect(await history(chat.host)).toHaveLength(2);
});

test('an answer about a call that does not wait changes nothing', async () => {
  await using chat = await open([lookUp], { confirmation: alwaysConfirm() });
  await new Page(chat.handler).sendMessage({ text: 'Weather?' });
  const approval = { id: 'another', approved: true };
  const message = { id: 'r', role: 'assistant', parts: [{ type: 'tool-a', state: 'approval-responded', approval }] };
  const stream = await chat.host.use('chat-1', (hosted) => uiMessageStream(hosted, message));
  const chunks = await Array.fromAsync(stream ?? []);
  expect(chunks).toEqual([{ type: 'start' }, { type: 'finish', finishReason: 'tool-calls' }]);
});

test('what is no message is not sent', async () => {
  await using chat = await open([]);
  const sent = chat.host.use('chat-1', (hosted) => uiMessageStream(hosted, { role: 'system', parts: 'x' }));
  await expect(sent).rejects.toBeInstanceOf(z.ZodError);
});
