import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptedServer, type ScriptedStep, type ScriptedTurn } from '@varve/llm/testing';
import type { ModelRequest } from '@varve/llm';
import { expect, onTestFinished, test } from 'vitest';
import { message, requestFor } from '../support/running-server.ts';
import { longSteps, unwantedIn, type Shown } from './long-steps.ts';
import { serverProcess, type ServerProcess } from './server-process.ts';

interface Info {
  readonly id: string;
  readonly execution_status: string;
}

const conversations = 100;
const steps = 8;

/** Replies with the next command of a conversation: each writes its number once. */
function nextTurn({ messages }: ModelRequest, directory: string): ScriptedTurn {
  const text = JSON.stringify(messages);
  const name = /conversation-\d+/.exec(text)?.[0] ?? '';
  const done = messages.filter(({ role }) => role === 'assistant').length;
  if (done >= steps) return { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] };
  const command = `echo ${done} >> ${join(directory, name)}`;
  return { calls: [{ name: 'terminal', arguments: { command } }] };
}

/** Waits for the end of a run that nothing else has ended. */
async function untilFinished(running: ServerProcess, id: string): Promise<void> {
  for (;;) {
    const { execution_status: status } = await running.json<Info>('GET', `/${id}`);
    if (status === 'finished') return;
    expect(status).toBe('running');
    await new Promise(setImmediate);
  }
}

test.for(['sqlite', 'dir'])('SIGKILL during 100 runs with %s loses nothing and repeats no command', async (scheme) => {
  const directory = mkdtempSync(join(tmpdir(), 'varve-restart-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const created = Promise.withResolvers<void>();
  let requests = 0;
  let killAt = Infinity;
  let kill: (() => void) | undefined;
  function* script(): Generator<ScriptedStep> {
    for (;;) {
      yield async (request) => {
        await created.promise;
        requests += 1;
        if (requests === killAt) kill?.();
        return nextTurn(request, directory);
      };
    }
  }
  await using model = await scriptedServer(script());
  const options = { storeUrl: `${scheme}:${join(directory, 'store')}`, home: join(directory, 'home'), maxRuns: 8 };
  const body = requestFor(model, join(directory, 'workspace'));
  const ids: string[] = [];
  for (let life = 0; life < 6; life += 1) {
    await using running = await serverProcess(options);
    while (ids.length < conversations) {
      const initial_message = message(`conversation-${ids.length}`);
      ids.push((await running.json<Info>('POST', '', { ...body, initial_message })).id);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    kill = resolve;
    killAt = requests + 60 + 17 * life;
    created.resolve();
    await promise;
    await running.kill();
  }
  killAt = Infinity;
  await using last = await serverProcess(options);
  for (const id of ids) {
    await untilFinished(last, id);
  }
  let missing = 0;
  for (const index of ids.keys()) {
    const lines = readFileSync(join(directory, `conversation-${index}`), 'utf8')
      .trim()
      .split('\n');
    expect(lines, `conversation-${index}`).toEqual([...new Set(lines)]);
    missing += steps - lines.length;
  }
  // A command that was running at a kill has an unknown outcome, and is not repeated.
  expect(missing).toBeLessThanOrEqual(6 * 8);
});

test.for(['kill', 'stop'] as const)(
  '%s during long steps ends no run, and stores nothing that a user did',
  async (end) => {
    const directory = mkdtempSync(join(tmpdir(), 'varve-restart-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const { script, texts, inProgress, resume } = longSteps(() => directory);
    await using model = await scriptedServer(script);
    const options = { storeUrl: `sqlite:${join(directory, 'store')}`, home: join(directory, 'home'), maxRuns: 8 };
    const body = { ...requestFor(model, join(directory, 'workspace')), confirmation_policy: { kind: 'NeverConfirm' } };
    await using first = await serverProcess(options);
    const ids: string[] = [];
    for (const text of texts) {
      ids.push((await first.json<Info>('POST', '', { ...body, initial_message: message(text) })).id);
    }
    await inProgress();
    resume();
    await first[end]();
    await using second = await serverProcess(options);
    for (const id of ids) {
      await untilFinished(second, id);
      const { items } = await second.json<{ items: readonly Shown[] }>('GET', `/${id}/events/search?limit=100`);
      expect(unwantedIn(items)).toEqual([]);
    }
  },
);
