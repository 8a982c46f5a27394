import { expect, test } from 'vitest';
import { memoryStore } from '@varve/storage';
import type { BashEvent } from '../../workspace/bash/bash-event.ts';
import { testKey } from '../../../test/support/requests.ts';
import { connectSocket, rejectedStatus, type SocketClient } from '../../../test/support/socket-client.ts';
import { listenForSockets, testServices } from '../../../test/support/socket-server.ts';

async function opened(options: Parameters<typeof listenForSockets>[1] = {}) {
  const services = testServices(memoryStore());
  const listening = await listenForSockets(services, options);
  const url = `${listening.url}/sockets/bash-events`;
  return {
    services,
    url,
    connect: (query = ''): Promise<SocketClient> => connectSocket(`${url}?session_api_key=${testKey}${query}`),
    async [Symbol.asyncDispose]() {
      await services.bash[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
    },
  };
}

const kindsOf = (texts: readonly string[]): readonly string[] =>
  texts.map((text) => (JSON.parse(text) as BashEvent).kind);

test('every client receives the commands of all clients and their outputs, with nulls', async () => {
  await using opening = await opened();
  await using first = await opening.connect();
  await using other = await opening.connect();
  first.send({ command: 'echo "got $((40 + 2))"' });
  await Promise.all([first.find('"exit_code":0'), other.find('"exit_code":0')]);
  expect(first.texts).toEqual(other.texts);
  const events = first.texts.map((text) => JSON.parse(text) as BashEvent);
  const [command] = events;
  expect(command).toMatchObject({ command: 'echo "got $((40 + 2))"', cwd: null, kind: 'BashCommand' });
  expect(events.at(-1)).toMatchObject({ command_id: command?.id, exit_code: 0, stderr: null, kind: 'BashOutput' });
  expect(first.texts.join('')).toContain('got 42');
});

test('a client that asks for it receives the history, and then live events, each once', async () => {
  await using opening = await opened();
  const { bash } = opening.services;
  const run = (command: string) => bash.start({ command, cwd: null, timeout: 30 });
  await Promise.all((await Promise.all(['echo a', 'echo b'].map(run))).map(({ ended }) => ended));
  await using none = await opening.connect();
  const connecting = opening.connect('&resend_mode=all');
  const racing = run('echo c');
  await using client = await connecting;
  await (
    await racing
  ).ended;
  await (
    await run('echo d')
  ).ended;
  await Promise.all([client.find('d\\n'), none.find('d\\n')]);
  const { items } = await bash.search({ order: 'TIMESTAMP', limit: 100 });
  expect(client.texts).toEqual(items.map((event) => JSON.stringify(event)));
  expect(none.texts.join('')).not.toContain('echo a');
});

test.for<readonly [string, unknown, string]>([
  ['no command', {}, 'ValidationError'],
  ['a number as the command', { command: 1 }, 'ValidationError'],
  ['no JSON', 'echo', 'JSONDecodeError'],
])('%s is answered with an error, and the socket stays open', async ([, message, code]) => {
  await using opening = await opened();
  await using client = await opening.connect();
  client.send(message);
  client.send(message);
  await client.received(2);
  expect(kindsOf(client.texts)).toEqual(['BashError', 'BashError']);
  expect(client.texts[0]).toContain(`"code":"${code}"`);
});

test('the socket needs the key, and the number of its clients is limited', async () => {
  await using opening = await opened({ clients: 1 });
  expect(await rejectedStatus(`${opening.url}?session_api_key=wrong`)).toBe(403);
  await using unknown = await connectSocket(opening.url);
  unknown.send({ command: 'echo hello' });
  expect(await unknown.ended).toMatchObject({ code: 4001 });
  await using first = await opening.connect();
  first.send({});
  await first.received(1);
  await using other = await opening.connect();
  expect(await other.ended).toEqual({ code: 1013, reason: 'Too many bash event connections' });
  first.socket.close();
  await first.ended;
  await using next = await opening.connect();
  next.send({});
  await next.received(1);
});
