import { AgentError } from '@varve/agent';
import type { PermissionRule } from '@varve/agent/confirmation';
import type { WaitingChild } from '@varve/agent/delegation';
import type { PendingCall } from '@varve/events/projections';
import { ToolError } from '@varve/tools';
import { withCommand } from './edited-call.ts';
import type { Approval, CallQuestion, Person } from './person.ts';
import { isAsked, isCoveredBy, proposedRules, sessionGrant, type CallPlace } from './waiting-call.ts';

/** Conversation whose calls wait: that of the run, or that of a sub-agent. */
export interface WaitingConversation extends Omit<WaitingChild['conversation'], 'startDirectories'> {
  /** As `Conversation.startDirectories`; undefined where that is not known. */
  startDirectories(): ReadonlyMap<string, readonly string[]> | undefined;
}

/** Options of {@link CallDecisions}. */
export interface CallDecisionsOptions {
  /** Adds rules to those of the project with this directory. */
  readonly addRules: (rules: readonly PermissionRule[], workspace: string) => Promise<void>;
  /** Names the person in approvals. Default `person`. */
  readonly by?: string | undefined;
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
   * Asks about the waiting calls one by one, and stores each decision when it is made: an approval executes nothing
   * before the next run. Those covered by an approval for the session are approved. Returns false when the person
   * decides later about one: the decisions before are kept. `subAgent` is the name of the sub-agent whose calls these
   * are.
   */
  async decide(conversation: WaitingConversation, signal: AbortSignal, subAgent?: string): Promise<boolean> {
    const waiting = askedOf(notStarted(conversation), this.#options.asksAll?.());
    let number = 0;
    for (const [index, call] of waiting.entries()) {
      // A command in place of the call before may leave the shell where an approval for the session does not apply.
      const placeOf = placesIn(conversation);
      const place = placeOf(call);
      const open = waiting.slice(index).filter((each) => !this.#isGranted(each, placeOf(each)));
      const isOpen = open.includes(call);
      if (isOpen) number += 1;
      const question = { call, place, number, count: number + open.length - 1, subAgent };
      const approval = isOpen ? await this.#ask(question, conversation, signal) : 'once';
      if (approval === 'later') return false;
      if (typeof approval === 'string') await this.#approve([call], conversation);
      else if ('reason' in approval) await conversation.reject(approval.reason, { actionIds: [call.event.id] });
      if (approval === 'always') await this.#learn(call, place);
      if (approval === 'session') this.#granted.add(sessionGrant(call, place)?.key ?? '');
    }
    // The others run with the approved ones, if another policy does not ask about them. Without any, nothing would run.
    const others = notStarted(conversation);
    if (others.length > 0 && !others.some(hasApproval)) await this.#approve(others, conversation);
    return true;
  }

  /** Reports whether decisions about calls that wait are missing while others are approved. */
  isPartlyDecided({ state: { status, pending } }: WaitingConversation): boolean {
    if (status !== 'waiting_for_confirmation' || !pending.some(hasApproval)) return false;
    return pending.some((call) => !hasApproval(call) && (isAsked(call) || this.#options.asksAll?.()));
  }

  /** Asks about a call until the answer can be stored, and stores a command that runs in its place. */
  async #ask(
    question: CallQuestion & { readonly call: PendingCall },
    conversation: WaitingConversation,
    signal: AbortSignal,
  ): Promise<Approval> {
    for (let problem: string | undefined; ;) {
      const approval = await this.#person.approve({ ...question, problem }, signal);
      if (typeof approval === 'string' || 'reason' in approval) return approval;
      const changed = { arguments: withCommand(question.call, approval.command) };
      try {
        await this.#approve([question.call], conversation, changed);
        return approval;
      } catch (error) {
        if (!isInvalid(error)) throw error;
        problem = error.message;
      }
    }
  }

  async #approve(
    calls: readonly PendingCall[],
    conversation: WaitingConversation,
    changed?: { readonly arguments: Readonly<Record<string, unknown>> },
  ): Promise<void> {
    const actionIds = calls.map(({ event }) => event.id);
    const { by = 'person' } = this.#options;
    await conversation.approve({ actionIds, digest: conversation.digestOf(calls), by, ...changed });
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
  return ({ event }) => ({ workspace, directories: directories && (directories.get(event.id) ?? []) });
}

/**
 * Returns the calls that a person is asked about: those that the policy asked about when they were stored and that are
 * not approved. Another policy may apply since then, so all are asked about if that explains nothing.
 */
export function askedOf(pending: readonly PendingCall[], asksAll = false): readonly PendingCall[] {
  const asked = pending.filter((call) => !hasApproval(call) && (asksAll || isAsked(call)));
  return asked.length === 0 ? pending : asked;
}

function notStarted({ state }: WaitingConversation): readonly PendingCall[] {
  return state.pending.filter(({ hasEffect }) => !hasEffect);
}

/** Reports whether an error means that a call cannot run with other arguments, or not with these. */
function isInvalid(error: unknown): error is AgentError | ToolError {
  if (error instanceof AgentError) return error.code === 'invalid';
  return error instanceof ToolError && error.code === 'invalid-input';
}

function hasApproval({ approvedDigest }: PendingCall): boolean {
  return approvedDigest !== undefined;
}
