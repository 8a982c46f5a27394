import { gate } from './gate/gate.ts';
import { peers } from './peers/peers.ts';
import { agent, agentFlat, agentNoDelay } from './tables/agent.ts';
import { condensers } from './tables/condensers.ts';
import { events } from './tables/events.ts';
import { llm } from './tables/llm.ts';
import { manyRuns } from './tables/many-runs.ts';
import { mock } from './tables/mock.ts';
import { postgres } from './tables/postgres.ts';
import { replicas } from './tables/replicas.ts';
import { server } from './tables/server.ts';
import { serverRuns } from './tables/server-runs.ts';
import { serverStart } from './tables/server-start.ts';
import { storage } from './tables/storage.ts';
import { tools } from './tables/tools.ts';
import type { Bench } from './table.ts';

/** All tables by the NAME of `pnpm bench NAME`: add a file, then its line here. */
export const tables: Readonly<Record<string, Bench>> = {
  agent,
  'agent-no-delay': agentNoDelay,
  'agent-flat': agentFlat,
  condensers,
  events,
  llm,
  mock,
  postgres,
  replicas,
  server,
  'server-runs': serverRuns,
  'server-start': serverStart,
  storage,
  tools,
};

/** Tables that are printed only when they are named: they need the network, another commit, or much memory. */
export const namedTables: Readonly<Record<string, Bench>> = { gate, 'many-runs': manyRuns, peers };
