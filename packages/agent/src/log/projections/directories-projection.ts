import { isAbsolute } from 'node:path';
import { runFact } from '@varve/events/facts';
import { ObservationEvent } from '@varve/events/kinds';
import { TerminalObservation } from '@varve/events/payloads';
import type { Projection } from '@varve/events/projections';

/** Shell of a terminal, and the directory in which its last command left it. */
interface Shell {
  readonly pid: number;
  readonly directory: string;
  /** True until it reports again in a run that began after it. */
  readonly isOld: boolean;
}

/** Maximum number of shells that are remembered: the main one, and those of concurrent commands. */
const maxShells = 4;

/**
 * Folds the directories in which the shells of the terminal are, as their last results report them. A shell of an
 * earlier run is forgotten when one that is not known reports: it may be of another process.
 */
export const directoriesProjection: Projection<readonly Shell[], readonly string[]> = {
  name: 'directories',
  version: 1,
  scope: 'log',
  initial: () => [],
  apply(shells, event) {
    const run = shells.length > 0 ? runFact.read(event) : undefined;
    if (run) return run.state === 'begun' && !run.inherited ? shells.map((one) => ({ ...one, isOld: true })) : shells;
    const shell = shellOf(event);
    if (!shell) return shells;
    const isKnown = shells.some(({ pid }) => pid === shell.pid);
    const others = shells.filter(({ pid, isOld }) => pid !== shell.pid && (isKnown || !isOld));
    return [...others, shell].slice(-maxShells);
  },
  read: (shells) => [...new Set(shells.map(({ directory }) => directory))],
  encode: (shells) => shells.map((shell) => ({ ...shell })),
  decode: (json) => json as unknown as readonly Shell[],
};

function shellOf(event: Parameters<typeof directoriesProjection.apply>[1]): Shell | undefined {
  if (!ObservationEvent.is(event) || !TerminalObservation.is(event.observation)) return undefined;
  const { pid, working_dir: directory } = Object(event.observation.metadata) as {
    pid?: unknown;
    working_dir?: unknown;
  };
  if (typeof directory !== 'string' || !isAbsolute(directory)) return undefined;
  return { pid: typeof pid === 'number' ? pid : -1, directory, isOld: false };
}
