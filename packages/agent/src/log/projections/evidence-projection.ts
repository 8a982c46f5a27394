import { textOf, type BaseEvent, type Json } from '@varve/events';
import { changedCallFact, filesFact, importFact } from '@varve/events/facts';
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
  type Payload,
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
  /** Last call that ran with changed arguments: the rejection that follows refuses nothing. */
  readonly changed?: string;
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
  version: 2,
  scope: 'log',
  initial: () => ({ ...counts, checks: [], files: new Map(), open: [], hasFacts: false, running: '' }),
  apply(state, event, seq) {
    if (importFact.read(event)) return evidenceProjection.initial();
    if (MessageEvent.is(event))
      return event.source === 'user' ? { ...state, since: seq, refusedCalls: 0, unknownOutcomes: 0 } : state;
    if (ActionEvent.is(event)) return withScript(state, event.id, event.action);
    if (UserRejectObservation.is(event))
      return event.action_id === state.changed ? state : { ...state, refusedCalls: state.refusedCalls + 1 };
    if (AgentErrorEvent.is(event)) {
      // The error of a call with changed arguments begins with these.
      const isUnknown = [interruptedMessage, unknownOutcomeMessage(event.tool_name)].some((message) =>
        event.error.endsWith(message),
      );
      return isUnknown ? { ...state, unknownOutcomes: state.unknownOutcomes + 1 } : state;
    }
    const changed = changedCallFact.read(event);
    if (changed) {
      const { action_id: id, action } = changed;
      return withResult(withScript({ ...state, changed: id }, id, action), changed, seq);
    }
    return ObservationEvent.is(event) ? withResult(state, event, seq) : withFiles(state, event, seq);
  },
  read: (state) => structuredClone(state),
  encode: (state) => JSON.parse(JSON.stringify({ ...state, files: [...state.files] })) as Json,
  decode(json) {
    const state = json as unknown as Omit<EvidenceState, 'files'> & { readonly files: [string, FileMark][] };
    return { ...state, files: new Map(state.files) };
  },
};

/** Result of a call: that of its own arguments, or of changed ones. */
type CallResult = Pick<ObservationEvent, 'action_id' | 'observation'>;

/** Keeps the script of a call until its result, in place of an earlier one. */
function withScript(state: EvidenceState, id: string, action: Payload | undefined): EvidenceState {
  const terminal = TerminalAction.read(action);
  if (!terminal) return state;
  const others = state.open.filter(([open]) => open !== id);
  return { ...state, open: [...others.slice(-maxOpen), [id, terminal.is_input ? '' : terminal.command]] };
}

function withResult(state: EvidenceState, result: CallResult, seq: number): EvidenceState {
  const { action_id: id, observation: stored } = result;
  for (const path of state.hasFacts ? [] : editedPaths(result)) state.files.set(path, { seq, actionIds: [id] });
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

function withFiles(state: EvidenceState, event: BaseEvent, seq: number): EvidenceState {
  const fact = filesFact.read(event);
  if (!fact) return state;
  const { files } = state;
  const actionIds = fact.action_ids ?? (fact.action_id === undefined ? [] : [fact.action_id]);
  for (const { path, before, after } of fact.changes) {
    if (before === after) continue;
    // The result of an editor named the same file by its whole path.
    for (const known of state.hasFacts ? [] : files.keys()) if (known.endsWith(`/${path}`)) files.delete(known);
    files.set(path, { seq, actionIds });
  }
  return state.hasFacts ? state : { ...state, hasFacts: true };
}

function editedPaths({ observation }: CallResult): readonly string[] {
  const edit = FileEditorObservation.read(observation);
  if (edit?.path !== undefined) return edit.is_error || edit.command === 'view' ? [] : [edit.path];
  return Object.keys(ApplyPatchObservation.read(observation)?.commit?.changes ?? {});
}
