import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { TcpProxy } from '../../../../packages/storage-postgres/test/tcp-proxy.ts';
import type { ReplicaGroup, ReplicaProcess } from '../replica-group.ts';
import type { FailingDatabase } from './database.ts';
import type { Interval } from './pauses.ts';

/** Subject of faults. */
export interface FaultTarget {
  readonly group: ReplicaGroup;
  readonly database: FailingDatabase;
  /** Between the replicas and their database. */
  readonly proxy: TcpProxy;
  /** Of each replica, by its port: between it and the others. */
  readonly links: ReadonlyMap<number, TcpProxy>;
  /** Creates short conversations, so that all replicas are full, and resolves when they are created. */
  readonly fillQueues: () => Promise<void>;
  /** Receives a time in which the database could not be used. */
  readonly onOutage: (outage: Interval) => void;
  /** Receives a replica that a fault keeps from its work, until the result is called. */
  readonly onLoss: (replica: ReplicaProcess) => () => void;
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
  terminate,
  stop,
  fillQueues: async ({ fillQueues, log }) => {
    log('the queues are full');
    await fillQueues();
  },
  cut: outage(cut),
  forget,
  hang: outage(hang),
  separate,
  blackOut: outage(blackOut),
  killCutOff,
  disconnect,
  crash: outage(crash),
  restart: outage(restart),
  fillDisk: outage(fillDisk),
  skewClock,
};

/** Returns a fault of the database, whose time is reported. */
function outage(fault: Fault): Fault {
  return async (target) => {
    const from = Date.now();
    await fault(target);
    target.onOutage({ from, to: Date.now() });
  };
}

/** Kills a replica and starts another one. */
async function kill({ group, random, log, onLoss }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGKILL ${replica.url}`);
  const end = onLoss(replica);
  await replica.kill();
  await add(group);
  end();
}

/** Stops a replica regularly and starts another one, as an upgrade does. */
async function terminate({ group, random, log, onLoss }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGTERM ${replica.url}`);
  const end = onLoss(replica);
  const [ended, start] = [once(replica.process, 'exit'), performance.now()];
  replica.process.kill('SIGTERM');
  await ended;
  log(`${replica.url} ended after ${((performance.now() - start) / 1000).toFixed(1)} s`);
  await add(group);
  end();
}

/** Starts a replica. One cannot start while another fault keeps it from the database. */
async function add(group: ReplicaGroup): Promise<void> {
  while (
    !(await group.add().then(
      () => true,
      () => false,
    ))
  )
    await delay(500);
}

/** Stops a replica until its leases have ended, and lets it continue. */
async function stop({ group, random, log, onLoss }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  if (!replica) return;
  log(`SIGSTOP ${replica.url}`);
  const end = onLoss(replica);
  group.pause(replica);
  await delay(leaseMs);
  log(`SIGCONT ${replica.url}`);
  group.resume(replica);
  end();
}

/** Ends all connections to the database; new ones are refused for a moment. */
async function cut({ proxy, random, log }: FaultTarget): Promise<void> {
  log('connections to the database are cut');
  await proxy.cut();
  await delay(3_000 * random());
  await proxy.restore();
}

/** Loses all connections to the database without a sign; new ones work. */
async function forget({ proxy, log }: FaultTarget): Promise<void> {
  log('connections to the database are forgotten');
  proxy.forget();
}

/** Holds back what is sent to and by the database, on new connections too. */
async function hang({ proxy, random, log }: FaultTarget): Promise<void> {
  log('connections to the database hang');
  proxy.hang();
  await delay(3_000 + 9_000 * random());
  await proxy.restore();
  log('connections to the database continue');
}

/** Lets other replicas reach one no longer, which works: what they send hangs. */
async function separate({ group, links, random, log }: FaultTarget): Promise<void> {
  const replica = pick(group.live(), random);
  const link = replica && links.get(Number(new URL(replica.url).port));
  if (!link) return;
  log(`the others do not reach ${replica.url}`);
  link.hang();
  await delay(10_000 + 20_000 * random());
  await link.restore();
  log(`the others reach ${replica.url}`);
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
  const from = Date.now();
  await proxy.cut();
  await delay(1_000 + 2_000 * random());
  const killed = kill(target);
  await proxy.restore();
  target.onOutage({ from, to: Date.now() });
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
  const kinds = Object.entries(faults);
  const first = [...kinds];
  const lane = async (): Promise<void> => {
    for (;;) {
      await delay(2_000 + 8_000 * target.random());
      if (performance.now() >= end) return;
      const [kind, fault] = first.shift() ?? pick(kinds, target.random) ?? ['kill', kill];
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
