// Serves a conversation to `useChat` from use-chat/server.ts: with approvals, after a reload, and after `kill -9`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer } from '@varve/llm/testing';
import { AbstractChat, DefaultChatTransport, type ChatState, type UIMessage } from 'ai';

const directory = await mkdtemp(join(tmpdir(), 'varve-chat-'));
const text = 'The logs of 2019 are gone.';
await using model = await scriptedServer([
  { text: 'I ask first.', calls: [{ name: 'delete_logs', arguments: { year: 2019 } }] },
  { text, fault: { kind: 'hang', afterPieces: 2 } },
  { text },
]);

/** Starts the server as a process. */
async function start() {
  const flags = ['--conditions=@varve/source', join(import.meta.dirname, 'use-chat/server.ts')];
  const env = { ...process.env, MODEL_URL: model.url, PORT: '0' };
  const server = spawn(process.execPath, flags, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [address] = (await once(server.stdout, 'data')) as [Buffer];
  const kill = async (): Promise<void> => {
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  return { api: `${address.toString().trim()}/api/chat`, kill };
}

/** The logic of `useChat` in a page, without React. */
class Page extends AbstractChat<UIMessage> {
  constructor(api: string, messages: UIMessage[]) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages,
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (index, message) => void (state.messages[index] = message),
      snapshot: (value) => structuredClone(value),
    };
    super({ id: 'chat-1', state, transport: new DefaultChatTransport({ api }) });
  }

  static async load(api: string): Promise<Page> {
    return new Page(api, (await (await fetch(`${api}/chat-1`)).json()) as UIMessage[]);
  }

  print(title: string): void {
    console.log(title);
    for (const { role, parts } of this.messages) {
      for (const part of parts) {
        if (part.type === 'text') console.log(`  ${role}: ${part.text}`);
        if ('toolCallId' in part) console.log(`  ${part.type}: ${part.state}`);
      }
    }
  }
}

let server = await start();
let page = new Page(server.api, []);
await page.sendMessage({ text: 'Delete the logs of 2019.' });
page.print('The call waits:');
await server.kill();

server = await start();
page = await Page.load(server.api);
page.print('After a restart, it still waits:');
for (const part of page.lastMessage?.parts ?? []) {
  if ('approval' in part && part.approval) await page.addToolApprovalResponse({ id: part.approval.id, approved: true });
}
const approved = page.sendMessage().catch(() => undefined);
while (model.requests.length < 2) await new Promise((resolve) => setImmediate(resolve));
await server.kill();
await approved;

server = await start();
page = await Page.load(server.api);
await page.resumeStream();
page.print('A reply that a second death has cut is written again:');
await server.kill();
await rm(directory, { recursive: true });
