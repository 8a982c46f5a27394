import type { Conversation } from '@varve/agent';
import type { WaitingChild } from '@varve/agent/delegation';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { PendingCall } from '@varve/events/projections';
import { varveHome } from '../setup/varve-home.ts';
import { styled } from '../terminal/output.ts';
import { quotedRows, readingHints } from '../terminal/rows.ts';
import type { Approval, Question } from './ask-approval.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { runEdited, type EditedCall } from './edited-call.ts';
import type { Display } from './event-printer.ts';
import type { Questions } from './questions.ts';
import { resumeCommand } from './resume-command.ts';
import type { RunOptions } from './run-options.ts';
import {
  callRows,
  isAsked,
  isCoveredBy,
  placeRows,
  proposedRules,
  reasonRows,
  sessionGrant,
  type CallPlace,
} from './waiting-call.ts';

/** Conversation whose calls wait: that of the run, or that of a sub-agent. */
export type WaitingConversation = WaitingChild['conversation'] & Partial<Pick<Conversation, 'executeTool'>>;

/** Person who is asked about calls. */
export interface CallReviewer {
  readonly io: TerminalIo;
  /** Asks about one call; the end of the input and an abort decide nothing. */
  readonly ask: (question: Question, signal: AbortSignal) => Promise<Approval>;
  /** Runs a function that asks after the ones before it. */
  readonly inTurn: Questions['inTurn'];
  /** Shows output of a command that the person runs in place of a call, by the id of its event. */
  readonly showOutput?: (chunk: string, callId: string) => void;
}

/** Asks about waiting calls, and remembers what was approved for the session: the life of this object. */
export class CallDecisions {
  readonly #granted = new Set<string>();
  readonly #learned: PermissionRule[] = [];
  readonly #options: Pick<RunOptions, 'confirm'>;
  readonly #reviewer: CallReviewer;

  constructor(options: Pick<RunOptions, 'confirm'>, reviewer: CallReviewer) {
    this.#options = options;
    this.#reviewer = reviewer;
  }

  /**
   * Asks about the waiting calls one by one, and stores the decisions when all are made. Those covered by an approval
   * for the session are approved with the others. Returns false when the user decides later: then nothing is stored.
   * `subAgent` is the name of the sub-agent whose calls these are.
   */
  async decide(conversation: WaitingConversation, signal: AbortSignal, subAgent?: string): Promise<boolean> {
    return this.#reviewer.inTurn(() => this.#decide(conversation, signal, subAgent));
  }

  async #decide(
    conversation: WaitingConversation,
    signal: AbortSignal,
    subAgent: string | undefined,
  ): Promise<boolean> {
    const pending = conversation.state.pending.filter(({ hasEffect }) => !hasEffect);
    const placeOf = placesIn(conversation);
    const waiting = askedOf(pending, this.#options);
    const asked = waiting.filter((call) => !this.#isGranted(call, placeOf(call)));
    const decisions = new Map<PendingCall, Exclude<Approval, 'later'>>();
    for (const [index, call] of asked.entries()) {
      const place = placeOf(call);
      const question = { call, place, number: index + 1, count: asked.length, subAgent };
      const approval = await this.#reviewer.ask(question, signal);
      if (approval === 'later') return false;
      decisions.set(call, approval);
      if (approval === 'always') await this.#learn(call, place);
      if (approval === 'session') this.#granted.add(sessionGrant(call, place)?.key ?? '');
    }
    const { showOutput } = this.#reviewer;
    await store(conversation, { pending, waiting, signal, showOutput }, decisions);
    return true;
  }

  /** Adds the rules to those of the project, and applies them in this session from now on. */
  async #learn(call: PendingCall, place: CallPlace): Promise<void> {
    const rules = proposedRules(call, place);
    const { permissionStore } = await import('@varve/settings/trust');
    await permissionStore(varveHome(this.#reviewer.io)).add(rules, 'project', place.workspace);
    this.#learned.push(...rules);
  }

  #isGranted(call: PendingCall, place: CallPlace): boolean {
    if (isCoveredBy(this.#learned, call, place)) return true;
    const grant = sessionGrant(call, place);
    return grant !== undefined && this.#granted.has(grant.key);
  }
}

/** Returns a function that names where a pending call of a conversation would run. */
function placesIn(conversation: WaitingConversation): (call: PendingCall) => CallPlace {
  const { workspace } = conversation;
  const directories = conversation.startDirectories();
  return ({ event }) => ({ workspace, directories: directories.get(event.id) ?? [] });
}

/**
 * Returns the calls that a person is asked about: those that the policy asked about when they were stored. Another
 * policy may apply since then, so all are asked about if that explains nothing.
 */
function askedOf(pending: readonly PendingCall[], { confirm }: Pick<RunOptions, 'confirm'>): readonly PendingCall[] {
  const asked = confirm === 'ask' ? [] : pending.filter(isAsked);
  return asked.length === 0 ? pending : asked;
}

/** Calls of a conversation, and those of them that a person is asked about. */
interface OpenCalls {
  readonly pending: readonly PendingCall[];
  readonly waiting: readonly PendingCall[];
  readonly signal: AbortSignal;
  readonly showOutput: CallReviewer['showOutput'];
}

/**
 * Stores rejections before approvals, so that no call runs before all decisions about its reply are stored. Calls that
 * no person was asked about run with the approved ones without an approval, so that another policy can still ask about
 * them; they are approved only if all others were rejected, because nothing runs then otherwise.
 */
async function store(
  conversation: WaitingConversation,
  { pending, waiting, signal, showOutput }: OpenCalls,
  decisions: ReadonlyMap<PendingCall, Exclude<Approval, 'later'>>,
): Promise<void> {
  const isApproved = (call: PendingCall): boolean => typeof decisions.get(call) !== 'object';
  const chosen = waiting.filter(isApproved);
  const approved = chosen.length > 0 ? chosen : pending.filter(isApproved);
  for (const [call, decision] of decisions) {
    if (typeof decision !== 'object') continue;
    const { id } = call.event;
    const reason =
      'reason' in decision
        ? decision.reason
        : await runInstead({ call, ...decision, signal, onOutput: (chunk) => showOutput?.(chunk, id) }, conversation);
    await conversation.reject(reason, { actionIds: [id] });
  }
  if (approved.length === 0) return;
  const actionIds = approved.map(({ event }) => event.id);
  await conversation.approve({ actionIds, digest: conversation.digestOf(approved), by: 'cli' });
}

async function runInstead(edited: EditedCall, conversation: WaitingConversation): Promise<string> {
  if (!conversation.executeTool) throw new Error(`Conversation ${conversation.id} runs no commands of a person.`);
  return runEdited(edited, conversation.executeTool.bind(conversation));
}

/**
 * Prints the waiting calls, why they wait, and how to decide about them. `subAgent` is the name of the sub-agent that
 * made them.
 */
export function printWaiting(
  conversation: WaitingConversation,
  { subAgent, ...options }: RunOptions & { readonly subAgent?: string },
  { io, progress }: Display,
): void {
  const { pending } = conversation.state;
  const count = pending.length === 1 ? '1 tool call' : `${pending.length} tool calls`;
  const owner = subAgent === undefined ? '' : ` of the sub-agent ${subAgent}`;
  const { columns } = io.stderr;
  const titleRows = quotedRows(`Waiting for approval of ${count}${owner}:`, columns);
  for (const row of titleRows) progress.above(styled('yellow', row));
  const asked = new Set(askedOf(pending, options));
  const placeOf = placesIn(conversation);
  const rows = pending.flatMap((call) => [
    ...callRows(call, columns),
    ...placeRows(call, placeOf(call), columns),
    ...(asked.has(call) ? reasonRows(call, columns) : ['Not risky; it waits for the others.']),
  ]);
  for (const row of rows) progress.above(row);
  for (const hint of readingHints([...titleRows, ...rows], io.stderr)) progress.above(styled('yellow', hint));
  if (options.demo) return;
  const resume = resumeCommand(conversation.id, options, io);
  const digest = conversation.digestOf(pending).slice(0, shownDigits);
  progress.lineAbove(`Approve with: ${resume} --approve ${digest}`);
  progress.lineAbove(`Reject with:  ${resume} --reject "why"`);
}

/** Prints calls that were approved by their digest. */
export function printApproved(calls: readonly PendingCall[], { io, progress }: Display): void {
  progress.lineAbove(`Approved ${calls.length === 1 ? '1 tool call' : `${calls.length} tool calls`}:`);
  for (const row of calls.flatMap((call) => callRows(call, io.stderr.columns))) progress.above(row);
}

/** Number of hex digits of a digest that are printed. */
const shownDigits = 16;
