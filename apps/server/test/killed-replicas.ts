import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { scriptedServer, type ScriptedStep } from '@varve/llm/testing';
import { dice } from '../../../packages/agent/test/dice.ts';
import { clientOf, type OpenClient, type OpenedClient } from '../../../packages/server/test/client/open-client.ts';
import { key, replicaGroup } from './replica-group.ts';

/** Three replicas of a balancer, one of which is killed and replaced repeatedly. */
export interface KilledReplicas extends AsyncDisposable {
  /**
   * Uses the official client of the balancer. The use is repeated if it fails because a replica was killed during it:
   * the client received an error that it may repeat, or the outcome of a command is unknown.
   */
  use(work: (open: OpenClient) => Promise<void>): Promise<void>;
  /** Number of replicas that were killed. */
  readonly kills: number;
}

/** Failures of a request that a client has to repeat; the last one is a response of which only a part has arrived. */
const retryable = /HTTP request failed \(50[23] |Request failed: terminated/;

/** Starts replicas of which one is killed after each of these milliseconds. */
export async function killedReplicas(storeUrl: string, killMs: number): Promise<KilledReplicas> {
  const group = await replicaGroup(storeUrl, 3);
  const choices = dice(7);
  let kills = 0;
  /** Number of killed replicas of which another one has taken the place. */
  let replaced = 0;
  const killOne = async (): Promise<void> => {
    const live = group.live();
    const replica = live[choices.below(live.length)];
    if (!replica) return;
    kills += 1;
    await replica.kill();
    await group.add();
    replaced += 1;
  };
  let killing: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    killing = killing.then(killOne);
  }, killMs);
  let clients = 0;
  const open = async (
    steps: Iterable<ScriptedStep>,
    onOutcome: (isUnknown: boolean) => void,
  ): Promise<OpenedClient> => {
    const model = await scriptedServer(repeatedAfterKills(steps, () => kills));
    const workspace = join(group.directory, `workspace-${(clients += 1)}`);
    mkdirSync(workspace);
    const target = { url: group.url, apiKey: key, workspace, model };
    const opened = clientOf({ ...target, restart: killOne, events: eventsOf });
    return {
      ...opened,
      async [Symbol.asyncDispose]() {
        await opened[Symbol.asyncDispose]();
        onOutcome(await removeConversations(opened));
        await model[Symbol.asyncDispose]();
      },
    };
  };
  const use: KilledReplicas['use'] = async (work) => {
    const replacedBefore = replaced;
    let hasUnknownOutcome = false;
    try {
      await work((steps = []) => open(steps, (isUnknown) => (hasUnknownOutcome ||= isUnknown)));
    } catch (error) {
      const mayRepeat = hasUnknownOutcome || (error instanceof Error && retryable.test(error.message));
      if (kills === replacedBefore || !mayRepeat) throw error;
      await use(work);
    }
  };
  return {
    use,
    get kills() {
      return kills;
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await killing;
      await group[Symbol.asyncDispose]();
    },
  };
}

/** Answers a request that another replica sends again after a kill with the same step. */
function* repeatedAfterKills(steps: Iterable<ScriptedStep>, kills: () => number): Generator<ScriptedStep> {
  const next = steps[Symbol.iterator]();
  const answers = new Map<string, { readonly step: ScriptedStep; readonly kills: number }>();
  for (;;) {
    yield async (request) => {
      const id = JSON.stringify(request.messages);
      const known = answers.get(id);
      const { value } = known && known.kills < kills() ? { value: known.step } : next.next();
      if (value === undefined) throw new Error('The script has no step left.');
      const step: ScriptedStep = value;
      answers.set(id, { step, kills: kills() });
      return typeof step === 'function' ? step(request) : step;
    };
  }
}

/** Returns the events of a conversation, page by page. */
async function eventsOf({ conversations }: OpenedClient['client'], id: string) {
  const events = [];
  for (let page = ''; ;) {
    const { items, next_page_id: next } = await conversations.searchEvents(id, page ? { page_id: page } : {});
    events.push(...items);
    if (!next) return events;
    page = next;
  }
}

/** Removes the conversations. Returns true if the outcome of a call is unknown. */
async function removeConversations({ client: { conversations } }: OpenedClient): Promise<boolean> {
  const { items } = await conversations.searchConversations({ limit: 100 });
  const outcomes = await Promise.all(
    items.map(async ({ id }) => {
      const { items: errors } = await conversations.searchEvents(id, { kind: 'AgentErrorEvent' });
      await conversations.deleteConversation(id).catch(ignoreRepeated);
      return JSON.stringify(errors).includes('may have been running');
    }),
  );
  return outcomes.includes(true);
}

/** The balancer sends a removal again if a replica was killed before it answered. */
function ignoreRepeated(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('HTTP request failed (404 '))) throw error;
}
