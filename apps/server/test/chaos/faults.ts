import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../../../../packages/storage-postgres/test/tcp-proxy.ts';
import type { ReplicaGroup } from '../replica-group.ts';

/** Subject of faults. */
export interface FaultTarget {
  readonly group: ReplicaGroup;
  /** URL of the database. */
  readonly url: string;
  /** Between the replicas and their database. */
  readonly database: TcpProxy;
  /** Returns a number from 0 to 1, exclusive. */
  readonly random: () => number;
  readonly log: (line: string) => void;
}

type Fault = (target: FaultTarget) => Promise<void>;

/** Kills a replica and starts another one. */
async function kill({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGKILL ${replica.url}`);
  await replica.kill();
  await group.add();
}

/** Stops a replica until its leases have ended, and lets it continue. */
async function stop({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGSTOP ${replica.url}`);
  group.pause(replica);
  await delay(18_000);
  log(`SIGCONT ${replica.url}`);
  group.resume(replica);
}

/** Ends all connections to the database; new ones are refused for a moment. */
async function cut({ database, random, log }: FaultTarget): Promise<void> {
  log('connections to the database are cut');
  await database.cut();
  await delay(3_000 * random());
  await database.restore();
}

const faults: readonly Fault[] = [kill, stop, cut];

/** Applies faults one after the other until the time is over. The first ones are one of each kind. */
export async function applyFaults(target: FaultTarget, seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n += 1) {
    await delay(1_000 + 2_000 * target.random());
    await (faults[n] ?? pick(faults, target.random) ?? kill)(target);
  }
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}
