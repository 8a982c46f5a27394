import { textOf, type BaseEvent, type Json } from '@varve/events';
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
  FinishObservation,
  TaskTrackerObservation,
  TerminalAction,
  TerminalObservation,
  ThinkObservation,
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

/** Last change of a file, and the calls that may have made it. */
interface FileMark {
  readonly seq: number;
  readonly actionIds: readonly string[];
}

/** What the log shows about the work of an agent. */
export interface WorkRecord {
  /** Last run of each check, oldest first. */
  readonly checks: readonly CheckRun[];
  readonly files: ReadonlyMap<string, FileMark>;
  /** Position of the last message of the user; the following count since then. */
  readonly since: number;
  readonly refusedCalls: number;
  readonly unknownOutcomes: number;
  /** Position of the last result of a call that may have been a check in another form. */
  readonly lastCommand: number;
}

interface EvidenceState extends WorkRecord {
  /** Changed in place: there may be thousands. */
  readonly files: Map<string, FileMark>;
  /** True if facts record the changes of files, so that results of editors are not read. */
  readonly hasFacts: boolean;
  /** Scripts without a result, with the ids of their actions; one that only reads more output is empty. */
  readonly open: readonly (readonly [id: string, script: string])[];
  /** Script that was still running at its last result. */
  readonly running: string;
}

/** Most scripts without a result: rejected ones have none. */
const maxOpen = 50;

/** Results of tools that run no programs. */
const quiet = new Set<string>(
  [FileEditorObservation, ApplyPatchObservation, ThinkObservation, TaskTrackerObservation, FinishObservation].map(
    ({ kind }) => kind,
  ),
);

const counts = { since: -1, refusedCalls: 0, unknownOutcomes: 0, lastCommand: -1 };

/** Folds the checks that a log shows, and what happened after them. What an imported log claims does not count. */
export const evidenceProjection: Projection<EvidenceState, WorkRecord> = {
  name: 'evidence',
  version: 1,
  scope: 'log',
  initial: () => ({ ...counts, checks: [], files: new Map(), open: [], hasFacts: false, running: '' }),
  apply(state, event, seq) {
    if (importFact.read(event)) return evidenceProjection.initial();
    if (MessageEvent.is(event))
      return event.source === 'user' ? { ...state, since: seq, refusedCalls: 0, unknownOutcomes: 0 } : state;
    const action = ActionEvent.is(event) ? TerminalAction.read(event.action) : undefined;
    if (action) {
      const { command, is_input: isInput } = action;
      return { ...state, open: [...state.open.slice(-maxOpen), [event.id, isInput ? '' : command]] };
    }
    if (UserRejectObservation.is(event)) return { ...state, refusedCalls: state.refusedCalls + 1 };
    if (AgentErrorEvent.is(event)) {
      const isUnknown = event.error === interruptedMessage || event.error === unknownOutcomeMessage(event.tool_name);
      return isUnknown ? { ...state, unknownOutcomes: state.unknownOutcomes + 1 } : state;
    }
    return withChanges(ObservationEvent.is(event) ? withResult(state, event, seq) : state, event, seq);
  },
  read: (state) => structuredClone(state),
  encode: (state) => JSON.parse(JSON.stringify({ ...state, files: [...state.files] })) as Json,
  decode(json) {
    const state = json as unknown as Omit<EvidenceState, 'files'> & { readonly files: [string, FileMark][] };
    return { ...state, files: new Map(state.files) };
  },
};

function withResult(
  state: EvidenceState,
  { action_id: id, observation: stored }: ObservationEvent,
  seq: number,
): EvidenceState {
  const [, typed] = state.open.find(([open]) => open === id) ?? [];
  const observation = typed === undefined ? undefined : TerminalObservation.read(stored);
  // Any other tool may have run a check: a sub-agent, or that of a server.
  if (typed === undefined || !observation) return quiet.has(stored.kind) ? state : { ...state, lastCommand: seq };
  // A call without a command waits for the one before.
  const script = typed.trim() === '' ? state.running : typed;
  const { exit_code: code = observation.metadata.exit_code, timeout } = observation;
  const exitCode = timeout || code < 0 ? undefined : code;
  const { checks: found, deciding, isAlone } = checksOf(script);
  const output = textOf(observation.content);
  const isKnown = exitCode === 0 || (isAlone && exitCode !== undefined && !/(?:^|\n)\S*sh: .*cd: /.test(output));
  const runs = found.map((check): CheckRun => {
    const isExact = isKnown && deciding.some(({ command }) => command === check.command);
    return { ...check, seq, actionId: id, ...(isExact && { exitCode }) };
  });
  const others = state.checks.filter(
    (old) => !runs.some(({ kind, program }) => old.kind === kind && old.program === program),
  );
  return {
    ...state,
    checks: [...others, ...runs],
    open: state.open.filter(([open]) => open !== id),
    lastCommand: runs.length === 0 ? seq : state.lastCommand,
    running: exitCode === undefined ? script : '',
  };
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
  const edit = FileEditorObservation.read(observation);
  if (edit?.path !== undefined) return edit.is_error || edit.command === 'view' ? [] : [edit.path];
  return Object.keys(ApplyPatchObservation.read(observation)?.commit?.changes ?? {});
}
