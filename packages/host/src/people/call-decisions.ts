import type { Conversation } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { WaitingChild } from '@varve/agent/delegation';
import type { PendingCall } from '@varve/events/projections';
import { runEdited, type EditedCall } from './edited-call.ts';
import type { Approval, Person } from './person.ts';
import { isAsked, isCoveredBy, proposedRules, sessionGrant, type CallPlace } from './waiting-call.ts';

/** Conversation whose calls wait: that of the run, or that of a sub-agent. */
export type WaitingConversation = WaitingChild['conversation'] & Partial<Pick<Conversation, 'executeTool'>>;

/** Options of {@link CallDecisions}. */
export interface CallDecisionsOptions {
  /** Adds rules to those of the project with this directory. */
  readonly addRules: (rules: readonly PermissionRule[], workspace: string) => Promise<void>;
  /** Returns true while a person is asked about every call, also those that the policy did not ask about. */
  readonly asksAll?: (() => boolean) | undefined;
}

/** Asks about waiting calls, and remembers what was approved for the session: the life of this object. */
export class CallDecisions {
  readonly #granted = new Set<string>();
  readonly #learned: PermissionRule[] = [];
  readonly #person: Person;
  readonly #options: CallDecisionsOptions;

  constructor(person: Person, options: CallDecisionsOptions) {
    this.#person = person;
    this.#options = options;
  }

  /**
   * Asks about the waiting calls one by one, and stores the decisions when all are made. Those covered by an approval
   * for the session are approved with the others. Returns false when the person decides later: then nothing is stored.
   * `subAgent` is the name of the sub-agent whose calls these are.
   */
  async decide(conversation: WaitingConversation, signal: AbortSignal, subAgent?: string): Promise<boolean> {
    const pending = conversation.state.pending.filter(({ hasEffect }) => !hasEffect);
    const placeOf = placesIn(conversation);
    const waiting = askedOf(pending, this.#options.asksAll?.());
    const asked = waiting.filter((call) => !this.#isGranted(call, placeOf(call)));
    const decisions = new Map<PendingCall, Exclude<Approval, 'later'>>();
    for (const [index, call] of asked.entries()) {
      const place = placeOf(call);
      const question = { call, place, number: index + 1, count: asked.length, subAgent };
      const approval = await this.#person.approve(question, signal);
      if (approval === 'later') return false;
      decisions.set(call, approval);
      if (approval === 'always') await this.#learn(call, place);
      if (approval === 'session') this.#granted.add(sessionGrant(call, place)?.key ?? '');
    }
    const showOutput = (chunk: string, callId: string): void => this.#person.showOutput?.(chunk, callId);
    await store(conversation, { pending, waiting, signal, showOutput }, decisions);
    return true;
  }

  /** Adds the rules to those of the project, and applies them in this session from now on. */
  async #learn(call: PendingCall, place: CallPlace): Promise<void> {
    const rules = proposedRules(call, place);
    await this.#options.addRules(rules, place.workspace);
    this.#learned.push(...rules);
  }

  #isGranted(call: PendingCall, place: CallPlace): boolean {
    if (isCoveredBy(this.#learned, call, place)) return true;
    const grant = sessionGrant(call, place);
    return grant !== undefined && this.#granted.has(grant.key);
  }
}

/** Returns a function that names where a pending call of a conversation would run. */
export function placesIn(
  conversation: Pick<WaitingConversation, 'workspace' | 'startDirectories'>,
): (call: PendingCall) => CallPlace {
  const { workspace } = conversation;
  const directories = conversation.startDirectories();
  return ({ event }) => ({ workspace, directories: directories.get(event.id) ?? [] });
}

/**
 * Returns the calls that a person is asked about: those that the policy asked about when they were stored. Another
 * policy may apply since then, so all are asked about if that explains nothing.
 */
export function askedOf(pending: readonly PendingCall[], asksAll = false): readonly PendingCall[] {
  const asked = asksAll ? [] : pending.filter(isAsked);
  return asked.length === 0 ? pending : asked;
}

/** Calls of a conversation, and those of them that a person is asked about. */
interface OpenCalls {
  readonly pending: readonly PendingCall[];
  readonly waiting: readonly PendingCall[];
  readonly signal: AbortSignal;
  readonly showOutput: (chunk: string, callId: string) => void;
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
        : await runInstead({ call, ...decision, signal, onOutput: (chunk) => showOutput(chunk, id) }, conversation);
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
