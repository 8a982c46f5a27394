import type { BaseEvent, Json } from '@varve/events';
import { filesFact, importFact } from '@varve/events/facts';
import {
  ActionEvent,
  AgentErrorEvent,
  MessageEvent,
  ObservationEvent,
  UserRejectObservation,
} from '@varve/events/kinds';
import {
  ApplyPatchObservation,
  FileEditorObservation,
  TerminalAction,
  TerminalObservation,
} from '@varve/events/payloads';
import type { Projection } from '@varve/events/projections';
import { checksOf, type Check } from '../../commands/check-commands.ts';
import { interruptedMessage, unknownOutcomeMessage } from '../drafts.ts';

/** Last run of a check. */
export interface CheckRun extends Check {
  /** Position of its result. */
  readonly seq: number;
  readonly actionId: string;
  /** Absent if the log does not show it: of a pipe, or of a script whose other commands may have failed. */
  readonly exitCode?: number;
}

/** What the log shows about the work of an agent. */
export interface WorkRecord {
  /** Last run of each check, oldest first. */
  readonly checks: readonly CheckRun[];
  /** Position of the last change of each file, and the calls that made it. */
  readonly files: readonly (readonly [path: string, change: FileMark])[];
  /** Position of the last message of the user; the following count since then. */
  readonly since: number;
  readonly refusedCalls: number;
  readonly unknownOutcomes: number;
  /** Position of the last result of a command that is no known check. */
  readonly lastCommand: number;
}

interface FileMark {
  readonly seq: number;
  readonly actionIds: readonly string[];
}

interface EvidenceState extends Omit<WorkRecord, 'checks' | 'files'> {
  readonly checks: ReadonlyMap<string, CheckRun>;
  /** Changed in place: there may be thousands. */
  readonly files: Map<string, FileMark>;
  /** True if facts record the changes of files, so that results of editors are not read. */
  readonly hasFacts: boolean;
  /** Scripts without a result by the id of their action; one that only reads more output is empty. */
  readonly open: ReadonlyMap<string, string>;
  /** Script that was still running at its last result. */
  readonly running: string;
}

/** Most scripts without a result: rejected ones have none. */
const maxOpen = 50;

const initial = { since: -1, refusedCalls: 0, unknownOutcomes: 0, lastCommand: -1, hasFacts: false, running: '' };

/** Folds the checks that a log shows, and what happened after them. What an imported log claims does not count. */
export const evidenceProjection: Projection<EvidenceState, WorkRecord> = {
  name: 'evidence',
  version: 1,
  scope: 'log',
  initial: () => ({ ...initial, checks: new Map(), files: new Map(), open: new Map() }),
  apply(state, event, seq) {
    if (importFact.read(event)) return evidenceProjection.initial();
    if (MessageEvent.is(event))
      return event.source === 'user' ? { ...state, since: seq, refusedCalls: 0, unknownOutcomes: 0 } : state;
    if (ActionEvent.is(event) && TerminalAction.is(event.action)) {
      const { command, is_input: isInput } = event.action;
      return { ...state, open: new Map([...state.open].slice(-maxOpen)).set(event.id, isInput ? '' : command) };
    }
    if (UserRejectObservation.is(event)) return { ...state, refusedCalls: state.refusedCalls + 1 };
    if (AgentErrorEvent.is(event)) {
      const isUnknown = event.error === interruptedMessage || event.error === unknownOutcomeMessage(event.tool_name);
      return isUnknown ? { ...state, unknownOutcomes: state.unknownOutcomes + 1 } : state;
    }
    return withChanges(ObservationEvent.is(event) ? withResult(state, event, seq) : state, event, seq);
  },
  read: ({ checks, files, open: _open, running: _running, hasFacts: _hasFacts, ...counted }) => ({
    ...counted,
    checks: [...checks.values()],
    files: [...files],
  }),
  encode: ({ checks, files, open, ...rest }) =>
    JSON.parse(JSON.stringify({ ...rest, checks: [...checks], files: [...files], open: [...open] })) as Json,
  decode(json) {
    const { checks, files, open, ...rest } = json as unknown as Omit<EvidenceState, 'checks' | 'files' | 'open'> & {
      readonly checks: [string, CheckRun][];
      readonly files: [string, FileMark][];
      readonly open: [string, string][];
    };
    return { ...rest, checks: new Map(checks), files: new Map(files), open: new Map(open) };
  },
};

function withResult(
  state: EvidenceState,
  { action_id: id, observation }: ObservationEvent,
  seq: number,
): EvidenceState {
  const typed = state.open.get(id);
  if (typed === undefined || !TerminalObservation.is(observation)) return state;
  // A call without a command waits for the one before.
  const script = typed.trim() === '' ? state.running : typed;
  const { exit_code: code = observation.metadata.exit_code, timeout } = observation;
  const exitCode = timeout || code < 0 ? undefined : code;
  const { checks: found, deciding, isAlone } = checksOf(script);
  const output = observation.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const isKnown = exitCode === 0 || (isAlone && exitCode !== undefined && !/(?:^|\n)\S*sh: .*cd: /.test(output));
  const checks = new Map(state.checks);
  for (const check of found) {
    const key = `${check.kind} ${check.program}`;
    const isExact = isKnown && deciding.some(({ command }) => command === check.command);
    checks.delete(key);
    checks.set(key, { ...check, seq, actionId: id, ...(isExact && { exitCode }) });
  }
  const open = new Map(state.open);
  open.delete(id);
  const lastCommand = found.length === 0 ? seq : state.lastCommand;
  return { ...state, checks, open, lastCommand, running: exitCode === undefined ? script : '' };
}

function withChanges(state: EvidenceState, event: BaseEvent, seq: number): EvidenceState {
  const fact = filesFact.read(event);
  const { files } = state;
  if (fact) {
    const actionIds = fact.action_ids ?? (fact.action_id === undefined ? [] : [fact.action_id]);
    for (const { path, before, after } of fact.changes) {
      if (before === after) continue;
      // The result of an editor named the same file by its whole path.
      for (const known of state.hasFacts ? [] : files.keys()) if (known.endsWith(`/${path}`)) files.delete(known);
      files.set(path, { seq, actionIds });
    }
    return state.hasFacts ? state : { ...state, hasFacts: true };
  }
  if (!state.hasFacts && ObservationEvent.is(event))
    for (const path of editedPaths(event)) files.set(path, { seq, actionIds: [event.action_id] });
  return state;
}

function editedPaths({ observation }: ObservationEvent): readonly string[] {
  if (observation.is_error) return [];
  if (ApplyPatchObservation.is(observation)) return Object.keys(observation.commit?.changes ?? {});
  if (!FileEditorObservation.is(observation) || observation.command === 'view') return [];
  return observation.path === undefined ? [] : [observation.path];
}
