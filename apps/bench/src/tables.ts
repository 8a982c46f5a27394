import { agent } from './agent.ts';
import { files } from './files.ts';
import { gate } from './gate/gate.ts';
import { peers } from './peers/peers.ts';
import type { Bench } from './table.ts';

/** Tables by the NAME of `pnpm bench NAME`: add a file, then its line here. */
export const tables: Readonly<Record<string, Bench>> = { agent, files, gate, peers };
