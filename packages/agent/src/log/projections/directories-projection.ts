import { isAbsolute } from 'node:path';
import { changedCallFact, forkEndFact, forkFact, importFact, runFact, settingsFact } from '@varve/events/facts';
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

interface Shells {
  /** Last workspace of the log: a shell of another one is not used here. */
  readonly workspace?: string;
  /** Workspace of the fork that this log is; that of its origin precedes it in the copied events. */
  readonly ofFork?: string;
  readonly shells: readonly Shell[];
}

/** Maximum number of shells that are remembered: the main one, and those of concurrent commands. */
const maxShells = 4;

/**
 * Folds the directories in which the shells of the terminal are, as their last results report them. A shell of an
 * earlier run is forgotten when one that is not known reports: it may be of another process. Shells of an imported log,
 * of the origin of a fork, and of another workspace are forgotten too.
 */
export const directoriesProjection: Projection<Shells, readonly string[]> = {
  name: 'directories',
  version: 4,
  scope: 'log',
  initial: () => ({ shells: [] }),
  apply(state, event, seq) {
    const { shells, ofFork } = state;
    if (seq === 0) {
      const forked = forkFact.read(event)?.settings.workspace;
      if (forked !== undefined) return { ...state, ofFork: forked };
    }
    const run = shells.length > 0 ? runFact.read(event) : undefined;
    if (run) {
      const isBegun = run.state === 'begun' && !run.inherited;
      return isBegun ? { ...state, shells: shells.map((each) => ({ ...each, isOld: true })) } : state;
    }
    if (importFact.read(event)) return { ...state, shells: [] };
    if (forkEndFact.read(event)) return { ...state, ...(ofFork !== undefined && { workspace: ofFork }), shells: [] };
    const workspace = settingsFact.read(event)?.workspace;
    if (workspace !== undefined) return workspace === state.workspace ? state : { ...state, workspace, shells: [] };
    const shell = shellOf(event);
    if (!shell) return state;
    const isKnown = shells.some(({ pid }) => pid === shell.pid);
    const others = shells.filter(({ pid, isOld }) => pid !== shell.pid && (isKnown || !isOld));
    return { ...state, shells: [...others, shell].slice(-maxShells) };
  },
  read: ({ shells }) => [...new Set(shells.map(({ directory }) => directory))],
  encode: ({ shells, ...workspaces }) => ({
    ...workspaces,
    shells: shells.map((shell) => ({ ...shell })),
  }),
  decode: (json) => json as unknown as Shells,
};

function shellOf(event: Parameters<typeof directoriesProjection.apply>[1]): Shell | undefined {
  const { observation } = ObservationEvent.is(event) ? event : (changedCallFact.read(event) ?? {});
  if (!TerminalObservation.is(observation)) return undefined;
  const { pid, working_dir: directory } = Object(observation.metadata) as {
    pid?: unknown;
    working_dir?: unknown;
  };
  if (typeof directory !== 'string' || !isAbsolute(directory)) return undefined;
  return { pid: typeof pid === 'number' ? pid : -1, directory, isOld: false };
}
