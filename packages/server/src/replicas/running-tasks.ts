import { randomUUID } from 'node:crypto';
import { lazy } from '@varve/events';
import * as z from 'zod';
import { taskQueue } from '@varve/host/kit';
import type { RunningTasks, TaskLists } from '../hosting/task-lists.ts';
import { watchAbandoned, type WatchOptions } from './takeover.ts';

/** Options of {@link runningTasks}. */
export interface RunningTasksOptions extends Pick<WatchOptions, 'every' | 'onFailure'> {
  readonly lists: TaskLists;
  /** Receives a task of a process that ended, and one that failed until it is accepted. */
  readonly takeOver: (id: string) => Promise<void>;
  /** Milliseconds of a clock that is never set. */
  readonly now: () => number;
}

const renewMs = 5_000;

/** Number of checks, one each two seconds, after which a list that was not renewed is that of a process that ended. */
const mostChecks = 8;

const listSchema = lazy(() => z.object({ commands: z.array(z.string()), is_ended: z.boolean() }));

/**
 * Stores which tasks this process executes, commands for example, and takes over those of processes that ended. A
 * process renews its list, as it renews leases. The clocks of processes do not matter.
 */
export function runningTasks({ lists, takeOver, every, now, onFailure }: RunningTasksOptions): RunningTasks {
  const { renew, ...own } = ownList(lists, takeOver);
  const renewing = every(renewMs, () => void renew().catch(onFailure));
  const replicas = listsOfOthers(lists, takeOver);
  const recover: WatchOptions['recover'] = (names) => replicas.end(names);
  const watching = watchAbandoned({ replicas, address: '', recover, every, now, onFailure });
  return {
    ...own,
    async [Symbol.asyncDispose]() {
      renewing[Symbol.dispose]();
      watching[Symbol.dispose]();
      await renew().catch(onFailure);
    },
  };
}

/** Returns the list of this process. */
function ownList(lists: TaskLists, takeOver: RunningTasksOptions['takeOver']) {
  const inOrder = taskQueue();
  let [name, isStored] = [randomUUID(), false];
  const running = new Set<string>();
  const failed = new Set<string>();
  const store = async (): Promise<void> => {
    for (;;) {
      const { text, version } = await lists.read(name);
      // Another process has taken over the tasks of this one, which was stopped.
      if (isStored && (text === undefined || parsed(text).is_ended)) {
        [name, isStored] = [randomUUID(), false];
        running.clear();
        return;
      }
      if (await lists.write(name, textOf([...running], false), version)) break;
    }
    isStored = true;
  };
  const renew = async (): Promise<void> => {
    for (const id of failed) {
      await takeOver(id);
      failed.delete(id);
      running.delete(id);
    }
    if (running.size > 0) return store();
    if (isStored) await lists.remove(name);
    isStored = false;
  };
  return {
    renew: () => inOrder(renew),
    begin: (id: string) =>
      inOrder(async () => {
        while (!running.has(id)) {
          running.add(id);
          await store();
        }
      }),
    isOwn: (id: string) =>
      inOrder(async () => {
        await store();
        return running.has(id);
      }),
    end: (id: string) => void running.delete(id),
    fail: (id: string) => void (running.has(id) && failed.add(id)),
  };
}

/** Finds the lists that were not renewed, and takes over their tasks. */
function listsOfOthers(lists: TaskLists, takeOver: RunningTasksOptions['takeOver']) {
  let seen = new Map<string, { readonly version: number; readonly checks: number }>();
  return {
    async abandoned(): Promise<readonly string[]> {
      const next: typeof seen = new Map();
      for (const name of await lists.names()) {
        const { version } = await lists.read(name);
        const last = seen.get(name);
        next.set(name, { version, checks: last?.version === version ? last.checks + 1 : 0 });
      }
      seen = next;
      return [...seen].filter(([, { checks }]) => checks >= mostChecks).map(([name]) => name);
    },
    async end(names: readonly string[]): Promise<void> {
      for (const name of names) {
        const { text, version } = await lists.read(name);
        if (text === undefined || version !== seen.get(name)?.version) continue;
        const { commands } = parsed(text);
        if (!(await lists.write(name, textOf(commands, true), version))) continue;
        for (const id of commands) await takeOver(id);
        await lists.remove(name);
      }
    },
  };
}

function parsed(text: string): z.infer<ReturnType<typeof listSchema>> {
  return listSchema().parse(JSON.parse(text));
}

function textOf(commands: readonly string[], is_ended: boolean): string {
  return JSON.stringify({ commands, is_ended });
}
