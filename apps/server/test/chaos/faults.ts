import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../../../../packages/storage-postgres/test/tcp-proxy.ts';
import type { ReplicaGroup } from '../replica-group.ts';
import type { FailingDatabase } from './database.ts';

/** Subject of faults. */
export interface FaultTarget {
  readonly group: ReplicaGroup;
  readonly database: FailingDatabase;
  /** Between the replicas and their database. */
  readonly proxy: TcpProxy;
  /** Returns a number from 0 to 1, exclusive. */
  readonly random: () => number;
  readonly log: (line: string) => void;
}

/** Causes a fault and ends it. Returns without one if there is nothing that can fail. */
type Fault = (target: FaultTarget) => Promise<void>;

/** Time after which the lease of a replica that does nothing has ended. */
const leaseMs = 18_000;

/** By kind. Each is one function. */
const faults: Readonly<Record<string, Fault>> = {
  kill,
  stop,
  cut,
  blackOut,
  killCutOff,
  disconnect,
  crash,
  restart,
  fillDisk,
  skewClock,
};

/** Kills a replica and starts another one. */
async function kill({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGKILL ${replica.url}`);
  await replica.kill();
  // One cannot start while another fault keeps it from the database.
  while (
    !(await group.add().then(
      () => true,
      () => false,
    ))
  )
    await delay(500);
}

/** Stops a replica until its leases have ended, and lets it continue. */
async function stop({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGSTOP ${replica.url}`);
  group.pause(replica);
  await delay(leaseMs);
  log(`SIGCONT ${replica.url}`);
  group.resume(replica);
}

/** Ends all connections to the database; new ones are refused for a moment. */
async function cut({ proxy, random, log }: FaultTarget): Promise<void> {
  log('connections to the database are cut');
  await proxy.cut();
  await delay(3_000 * random());
  await proxy.restore();
}

/** As {@link cut}, for longer than the replicas wait. */
async function blackOut({ proxy, random, log }: FaultTarget): Promise<void> {
  log('the database cannot be reached');
  await proxy.cut();
  await delay(25_000 + 20_000 * random());
  await proxy.restore();
  log('the database can be reached');
}

/** Kills a replica that waits for its database: what it acknowledged while it waited is lost. */
async function killCutOff(target: FaultTarget): Promise<void> {
  const { proxy, random, log } = target;
  log('connections to the database are cut, and a replica ends');
  await proxy.cut();
  await delay(1_000 + 2_000 * random());
  const killed = kill(target);
  await proxy.restore();
  await killed;
}

/** Ends the connections of the clients of a replica. */
async function disconnect({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`clients of ${replica.url} are disconnected`);
  group.disconnect(replica);
}

/** Ends the database without a checkpoint and starts it. */
async function crash({ database, log }: FaultTarget): Promise<void> {
  log('the database is restarted with -m immediate');
  await database.restart('immediate');
}

/** Ends the database in order and starts it. */
async function restart({ database, log }: FaultTarget): Promise<void> {
  log('the database is restarted with -m fast');
  await database.restart('fast');
}

/** Leaves the database no space for a moment. */
async function fillDisk({ database, random, log }: FaultTarget): Promise<void> {
  if (!database.canFill) return;
  log('the disk is full');
  await database.fill();
  await delay(1_000 + 9_000 * random());
  await database.free();
  log('the disk has space');
}

/** Sets the clock of a replica up to five minutes off, in both directions. */
async function skewClock({ group, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  const seconds = Math.round(600 * random() - 300);
  log(`the clock of ${replica.url} is ${seconds} s off`);
  replica.skewClock(seconds * 1000);
}

/** Applies faults until the time is over, two at a time, and returns their numbers. The first ones are one of each. */
export async function applyFaults(target: FaultTarget, seconds: number): Promise<Readonly<Record<string, number>>> {
  const end = performance.now() + seconds * 1000;
  const counts = Object.fromEntries(Object.keys(faults).map((kind) => [kind, 0]));
  const all = Object.entries(faults);
  const first = [...all];
  const lane = async (): Promise<void> => {
    for (;;) {
      await delay(2_000 + 8_000 * target.random());
      if (performance.now() >= end) return;
      const [kind, fault] = first.shift() ?? pick(all, target.random) ?? ['kill', kill];
      counts[kind] = (counts[kind] ?? 0) + 1;
      await fault(target);
    }
  };
  await Promise.all([lane(), lane()]);
  return counts;
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)];
}
