import { defineAgent, neverConfirm, type Agent } from '@varve/agent';
import { ActionEvent } from '@varve/events/kinds';
import type { LanguageModel } from '@varve/llm';
import { scriptedModel, type ScriptedStep } from '@varve/llm/testing';
import { memoryStore, StorageError, type EventLog, type EventStore } from '@varve/storage';
import { clientTool, finish, think } from '@varve/tools';
import { expect, test } from 'vitest';
import { createHost } from './host.ts';

function agentWith(...turns: readonly ScriptedStep[]): Agent {
  return defineAgent({ model: scriptedModel(turns), tools: () => [think(), finish()] });
}

test('conversations are opened with the agent of their name, by another host too', async () => {
  await using store = memoryStore();
  const ids: string[] = [];
  {
    await using host = createHost({ store, agents: { one: agentWith({ text: 'I am one.' }), two: agentWith() } });
    for (const agent of ['one', 'two']) ids.push(await host.create({ agent, workspace: '/' }));
    await host.send(ids[0] ?? '', 'Who are you?');
    await host.use(ids[0] ?? '', async ({ runs }) => runs.idle());
  }
  const agents = { one: agentWith(), two: async () => agentWith({ text: 'I am two.' }) };
  await using host = createHost({ store, agents });
  const answer = await host.use(ids[1] ?? '', async (hosted) => {
    await hosted.send('Who are you?');
    return (await hosted.run()).text;
  });
  expect(answer).toBe('I am two.');
  const status = await host.use(ids[0] ?? '', async ({ conversation }) => conversation.state.status);
  expect(status).toBe('finished');
});

test('secrets of a conversation never reach its log, whichever host opens it', async () => {
  await using store = memoryStore();
  const id = '5'.repeat(32);
  const agents = { support: agentWith({ text: 'One: swordfish.' }), other: agentWith() };
  const optionsOf = async (of: string) => (of === id ? { secrets: ['swordfish'] } : {});
  {
    await using host = createHost({ store, agents, optionsOf });
    await host.create({ agent: 'support', workspace: '/', id });
  }
  await using host = createHost({ store, agents, optionsOf });
  await host.send(id, 'The password is swordfish.');
  await host.use(id, async ({ runs }) => runs.idle());
  const other = await host.create({ agent: 'other', workspace: '/' });
  await host.use(other, (hosted) => hosted.send('A swordfish.'));
  const texts = async (of: string) => {
    const events = await Array.fromAsync((await store.read(of)).range(0), ({ text }) => text);
    return events.join('').match(/One: .{4}|password is .{4}|A sword/g);
  };
  expect([await texts(id), await texts(other)]).toEqual([['password is <sec', 'One: <sec'], ['A sword']]);
});

test('a model streams by default, or for those that follow only', async () => {
  const streamed: boolean[] = [];
  const scripted = scriptedModel(Array.from({ length: 3 }, () => ({ text: 'Hi.' })));
  const model: LanguageModel = {
    ...scripted,
    generate(request, options) {
      streamed.push(options?.onDelta !== undefined);
      return scripted.generate(request, options);
    },
  };
  const agents = { support: defineAgent({ model, tools: [] }) };
  for (const options of [{}, { streams: false }]) {
    await using store = memoryStore();
    await using host = createHost({ store, agents, ...options });
    const id = await host.create({ agent: 'support', workspace: '/' });
    await host.use(id, async (hosted) => {
      await hosted.send('Hello.');
      await hosted.run();
      if (options.streams !== false) return;
      hosted.follow({ addEvent: () => undefined, addDelta: () => undefined });
      await hosted.send('Hello again.');
      await hosted.run();
    });
  }
  expect(streamed).toEqual([true, false, true]);
});

test('a run that a host left is continued with its agent', async () => {
  await using store = memoryStore();
  const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow: ScriptedStep = () => {
    asked.resolve();
    return { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }], gate: gate.promise };
  };
  const abandoned: string[] = [];
  const abandon = async (id: string): Promise<void> => void abandoned.push(id);
  const first = createHost({ store, agents: { support: agentWith(slow) }, abandon });
  const id = await first.create({ agent: 'support', workspace: '/' });
  await first.send(id, 'Help.');
  await asked.promise;
  const closed = first.close(new AbortController().signal);
  gate.resolve();
  await closed;
  expect(abandoned).toEqual([id]);
  await using second = createHost({ store, agents: { support: agentWith({ text: 'Helped.' }) } });
  await second.recover();
  await second.use(id, async ({ runs, conversation }) => {
    await runs.idle();
    expect(conversation.state.status).toBe('finished');
  });
});

/** A store, and a function after which the logs that are open cannot be changed, as those of a process that ended. */
function mortalStore() {
  const store = memoryStore();
  const { create, open } = { create: store.create.bind(store), open: store.open.bind(store) };
  let life = { isOver: false };
  const mortal = (log: EventLog): EventLog => {
    const append: EventLog['append'] = log.append.bind(log);
    const own = life;
    return Object.assign(log, {
      append: async (...parameters: Parameters<EventLog['append']>) => {
        if (own.isOver) throw new StorageError('io', 'The process has ended.');
        return append(...parameters);
      },
    });
  };
  Object.assign(store, {
    create: async (...parameters: Parameters<EventStore['create']>) => mortal(await create(...parameters)),
    open: async (...parameters: Parameters<EventStore['open']>) => mortal(await open(...parameters)),
  });
  const end = (): void => {
    life.isOver = true;
    life = { isOver: false };
  };
  return { store, end };
}

test.for(['nothing', 'a call'])(
  'a run whose processes end four times after %s is continued or ends',
  async (progress) => {
    const { store, end } = mortalStore();
    const thought = { calls: [{ name: 'think', arguments: { thought: 'Hm.' } }] };
    /** Runs until the model is asked for the last time of a process, which then ends. */
    const live = async (id?: string): Promise<string> => {
      const asked = Promise.withResolvers<void>();
      const hang: ScriptedStep = () => {
        asked.resolve();
        return { fault: { kind: 'hang', afterPieces: 0 } };
      };
      const agents = { support: agentWith(...(progress === 'a call' ? [thought] : []), hang) };
      const host = createHost({ store, agents });
      const used = id ?? (await host.create({ agent: 'support', workspace: '/' }));
      if (id === undefined) await host.send(used, 'Help.');
      else await host.recover();
      await asked.promise;
      end();
      await host.close(AbortSignal.abort());
      return used;
    };
    const id = await live();
    for (let lives = 0; lives < 3; lives += 1) await live(id);
    await using last = createHost({ store, agents: { support: agentWith({ text: 'Helped.' }, { text: 'Again.' }) } });
    await last.recover();
    const statusNow = () =>
      last.use(id, async ({ runs, conversation }) => {
        await runs.idle();
        return conversation.state.status;
      });
    expect(await statusNow()).toBe(progress === 'a call' ? 'finished' : 'error');
    const events = await Array.fromAsync((await store.read(id)).range(0), ({ text }) => text);
    expect(events.some((text) => text.includes('ended 4 times'))).toBe(progress === 'nothing');
    await last.send(id, 'Help again.');
    expect(await statusNow()).toBe('finished');
  },
);

test('a name without an agent is refused, and an id that exists changes nothing', async () => {
  await using store = memoryStore();
  await using host = createHost({ store, agents: { support: agentWith() } });
  await expect(host.create({ agent: 'sales', workspace: '/' })).rejects.toMatchObject({ code: 'unknown-agent' });
  const id = await host.create({ agent: 'support', workspace: '/' });
  expect(await host.create({ agent: 'support', workspace: '/tmp', id })).toBe(id);
  expect(await host.use(id, async ({ conversation }) => conversation.workspace)).toBe('/');
});

test('the result of a call that completes later starts a run, in a new process too, but not after a pause', async () => {
  await using store = memoryStore();
  const deploy = clientTool({ name: 'deploy', description: 'Deploys.' });
  const call: ScriptedStep = { calls: [{ name: 'deploy', arguments: {} }] };
  const hostWith = (...turns: readonly ScriptedStep[]) => {
    const support = defineAgent({ model: scriptedModel(turns), tools: [deploy], confirmation: neverConfirm() });
    return createHost({ store, agents: { support } });
  };
  const first = hostWith(call, { text: 'Started.' }, call, { text: 'Started again.' });
  const id = await first.create({ agent: 'support', workspace: '/' });
  for (const message of ['Deploy.', 'Deploy again.']) {
    await first.send(id, message);
    await first.use(id, ({ runs }) => runs.idle());
  }
  const events = await first.use(id, ({ conversation }) => Array.fromAsync(conversation.events()));
  const [one = '', other = ''] = events.flatMap(({ event }) => (ActionEvent.is(event) ? [event.id] : []));
  await first[Symbol.asyncDispose]();
  await using second = hostWith({ text: 'It is live.' });
  const complete = (action: string) => second.complete(id, action, 'Done.');
  expect([await complete(one), await complete(one)]).toEqual([true, false]);
  await second.use(id, async ({ runs, conversation }) => {
    await runs.idle();
    expect(conversation.state.status).toBe('finished');
    expect((await conversation.run()).text).toBe('It is live.');
    await conversation.send('Wait.');
    await runs.pause();
    expect(conversation.state.status).toBe('paused');
    expect(await complete(other)).toBe(true);
    expect(runs.isActive).toBe(false);
  });
});
