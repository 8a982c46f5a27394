import { randomUUID } from 'node:crypto';
import {
  methods,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import type { ActionEvent } from '@varve/events/kinds';
import { describeRule } from '@varve/agent/confirmation';
import type { Approval, Question } from '../run/ask-approval.ts';
import type { Questions } from '../run/questions.ts';
import { callRows, placeRows, proposedRules, reasonRows, sessionGrant } from '../run/waiting-call.ts';
import { taskQueue } from '../run/task-queue.ts';
import { varveHome } from '../setup/varve-home.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { callParts, textContent } from './call-parts.ts';

/** Width of the rows that an editor shows in a question. */
const columns = 100;

const allowed: PermissionOption = { optionId: 'once', name: 'Allow once', kind: 'allow_once' };
const rejected: PermissionOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' };

/** Questions of a run to the person at an editor, one at a time. */
export class EditorQuestions implements Pick<Questions, 'allowsHost' | 'allowsOutside' | 'answersServer' | 'inTurn'> {
  readonly io: TerminalIo;
  readonly #client: AgentContext;
  readonly #sessionId: string;

  constructor(io: TerminalIo, client: AgentContext, sessionId: string) {
    this.io = io;
    this.#client = client;
    this.#sessionId = sessionId;
  }

  /** Asks about one call. An answer that the editor cancels decides nothing. */
  readonly ask = async (question: Question, signal: AbortSignal): Promise<Approval> => {
    const { call, place } = question;
    const rows = [...callRows(call, columns), ...placeRows(call, place, columns), ...reasonRows(call, columns)];
    const parts = callParts(call.event, place.workspace);
    const toolCall = { ...parts, content: [...textContent(rows.join('\n')), ...(parts.content ?? [])] };
    const chosen = await this.#choose(toolCall, optionsOf(question), signal);
    if (chosen === 'reject') return { reason: 'The user rejected the call.' };
    return chosen === 'once' || chosen === 'session' || chosen === 'always' ? chosen : 'later';
  };

  readonly inTurn = taskQueue();

  async allowsHost(host: string, workspace: string): Promise<boolean> {
    const title = `A program in the sandbox connects to ${host}`;
    const always = {
      optionId: 'always',
      name: `Always in this project: allow host ${host}`,
      kind: 'allow_always',
    } as const;
    const toolCall = { toolCallId: randomUUID(), title, kind: 'fetch' } as const;
    const options = [{ ...allowed, name: 'Allow for this session' }, always, rejected];
    const chosen = await this.inTurn(async () => this.#choose(toolCall, options, new AbortController().signal));
    if (chosen === 'always') {
      const { permissionStore } = await import('@varve/settings/trust');
      const rule = { decision: 'allow', on: 'host', pattern: host } as const;
      await permissionStore(varveHome(this.io)).add([rule], 'project', workspace);
    }
    return chosen === 'once' || chosen === 'always';
  }

  async allowsOutside(refusal: string, event: ActionEvent, signal: AbortSignal): Promise<boolean> {
    const title = `${refusal} Run this once outside of it, with all of your rights?`;
    const content = textContent(callRows({ event }, columns).join('\n'));
    const toolCall = { toolCallId: event.id, title, content };
    const options = [{ ...allowed, name: 'Run it once outside, in a fresh shell' }, rejected];
    return (await this.inTurn(async () => this.#choose(toolCall, options, signal))) === 'once';
  }

  /** The stable protocol of editors has no forms. */
  answersServer(): ReturnType<Questions['answersServer']> {
    return Promise.resolve('cancel');
  }

  /** Returns the id of the chosen option; undefined if the editor cancelled the question or went away. */
  async #choose(
    toolCall: ToolCallUpdate,
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (signal.aborted) return undefined;
    const params: RequestPermissionRequest = { sessionId: this.#sessionId, toolCall, options };
    const asked = this.#client.request(methods.client.session.requestPermission, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    const { outcome } = await asked.catch(() => ({ outcome: { outcome: 'cancelled' as const } }));
    return outcome.outcome === 'selected' ? outcome.optionId : undefined;
  }
}

function optionsOf({ call, place }: Question): PermissionOption[] {
  const grant = sessionGrant(call, place);
  const rules = proposedRules(call, place);
  const session = {
    optionId: 'session',
    name: `Allow for this session: ${grant?.covers}`,
    kind: 'allow_always',
  } as const;
  const always = {
    optionId: 'always',
    name: `Always in this project: ${rules.map(describeRule).join(', ')}`,
    kind: 'allow_always',
  } as const;
  return [allowed, ...(grant ? [session] : []), ...(rules.length > 0 ? [always] : []), rejected];
}
