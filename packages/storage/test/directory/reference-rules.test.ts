import assert from 'node:assert/strict';
import type { EventLog, EventStore, NewEvent } from '@varve/storage';
import fc from 'fast-check';
import { test } from 'vitest';
import { thisProcess } from '../../src/kit/holder.ts';
import { agentEvent } from '../agent-event.ts';
import { type VolatileFiles, volatileFiles } from '../volatile-files.ts';
import { RootedStore } from '../../src/directory/rooted-store.ts';

const id = '0123456789abcdef0123456789abcdef';
const directory = `/srv/root/${id}`;
/** Real time: no timer renews a lease after the simulated death of its process. */
const leaseMs = 3_600_000;
const kinds = ['MessageEvent', 'ActionEvent', 'ConversationStateUpdateEvent'] as const;

const steps = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('append' as const), events: fc.integer({ min: 1, max: 3 }) }) },
  fc.record({ kind: fc.constant('status' as const), status: fc.constantFrom('idle', 'running', 'finished') }),
  fc.record({ kind: fc.constant('reopen' as const) }),
  fc.record({ kind: fc.constant('crash' as const), call: fc.integer({ min: 1, max: 40 }), keep: fc.nat({ max: 5 }) }),
  fc.record({ kind: fc.constant('take over' as const) }),
);

/** A step in the history of a conversation, as data. */
type Step = typeof steps extends fc.Arbitrary<infer T> ? T : never;

/** Runs the history of one conversation over several processes. */
class History {
  files: VolatileFiles = volatileFiles();
  #time = 1_750_000_000_000;
  #store: EventStore | undefined;
  #log: EventLog | undefined;

  async run(step: Step | { readonly kind: 'create' }): Promise<void> {
    switch (step.kind) {
      case 'create':
        this.#log = await this.#open().create(id, meta('idle'));
        break;
      case 'append':
        await this.#append(step.events);
        break;
      case 'status':
        await this.#log?.append([], { meta: meta(step.status) });
        break;
      case 'reopen':
        await this.#store?.[Symbol.asyncDispose]();
        this.#log = await this.#open().open(id);
        break;
      case 'crash':
        this.files.dieAt(this.files.calls + step.call);
        await this.#append(3).catch(() => {});
        this.files = this.files.survivor({ keep: step.keep });
        this.#log = await this.#open().open(id);
        break;
      case 'take over':
        this.#time += 2 * leaseMs;
        this.#log = await this.#open().open(id);
    }
  }

  async close(): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
  }

  #open(): EventStore {
    const { files } = this;
    // A pid above the maximum of Linux, so that every process regards the holder as dead.
    const holder = { ...thisProcess(), pid: 2 ** 22 + 1 };
    const options = { files, root: '/srv/root', leaseMs, pollMs: 250, now: () => this.#time, holder };
    this.#store = new RootedStore({ ...options, warn: () => {} });
    return this.#store;
  }

  async #append(count: number): Promise<void> {
    const head = (await this.#log?.head()) ?? 0;
    await this.#log?.append(Array.from({ length: count }, (_, n) => eventAt(head + n)));
  }
}

function eventAt(n: number): NewEvent {
  return agentEvent(n, { kind: kinds[(n * 7) % 3] ?? 'MessageEvent' });
}

const meta = (status: string) => ({ status, workspace: '/srv/w', agent: { model: { name: 'm' } } });

/** Checks the requirements of the reference for a directory that it opens. */
function checkAsReference(files: VolatileFiles): void {
  const pattern = /^event-(?<index>\d{5,})-(?<id>[0-9a-fA-F-]{8,})\.json$/;
  const ids = new Set<unknown>(['__root__', undefined]);
  const names = files.list(`${directory}/events`).toSorted();
  for (const [seq, name] of names.entries()) {
    const { index, id: nameId } = pattern.exec(name)?.groups ?? {};
    assert.equal(Number(index), seq, `${name} has number ${seq}`);
    const text = files.read(`${directory}/events/${name}`)?.toString() ?? '';
    const event: { readonly id: string; readonly parent_id?: string } = JSON.parse(text);
    assert.equal(JSON.stringify(event), text, `${name} is compact`);
    assert.equal(event.id, nameId);
    assert.ok(ids.has(event.parent_id), `${name} follows a stored event`);
    ids.add(event.id);
  }
  const state = JSON.parse(files.read(`${directory}/base_state.json`)?.toString() ?? '');
  const leaf = names.map((_, seq) => eventAt(seq)).findLast(({ kind }) => kind !== 'ConversationStateUpdateEvent');
  assert.equal(state.id.replaceAll('-', ''), id);
  assert.equal(state.leaf_event_id, leaf?.id);
  assert.equal(files.read(`${directory}/owner_lease.json`), undefined);
}

test('the reference can read the directory after any history', async () => {
  const property = fc.asyncProperty(fc.array(steps, { maxLength: 25 }), async (history) => {
    const conversation = new History();
    await conversation.run({ kind: 'create' });
    for (const step of history) await conversation.run(step);
    // The last holder appends and closes the log.
    await conversation.run({ kind: 'append', events: 1 });
    await conversation.close();
    checkAsReference(conversation.files);
  });
  await fc.assert(property, { numRuns: 200 });
});
