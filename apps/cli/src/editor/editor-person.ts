import { randomUUID } from 'node:crypto';
import {
  methods,
  type AgentContext,
  type PermissionOption,
  type RequestPermissionRequest,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { describeRule } from '@varve/agent/confirmation';
import {
  eventToRun,
  proposedRules,
  sessionGrant,
  type CallQuestion,
  type Choice,
  type Person,
} from '@varve/host/people';
import { callRows, placeRows, questionRows, reasonRows } from '../wording/call-rows.ts';
import { callParts, textContent } from './call-parts.ts';

/** Width of the rows that an editor shows in a question. */
const columns = 100;

const allowed: PermissionOption = { optionId: 'once', name: 'Allow once', kind: 'allow_once' };
const rejected: PermissionOption = { optionId: 'reject', name: 'Reject', kind: 'reject_once' };

/** Returns the person at an editor, who answers requests for permission: its stable protocol has no forms. */
export function editorPerson(client: AgentContext, sessionId: string): Person {
  /** Returns the id of the chosen option; undefined if the editor cancelled the question or went away. */
  const ask = async (
    toolCall: ToolCallUpdate,
    options: PermissionOption[],
    signal: AbortSignal,
  ): Promise<string | undefined> => {
    if (signal.aborted) return undefined;
    const params: RequestPermissionRequest = { sessionId, toolCall, options };
    const asked = client.request(methods.client.session.requestPermission, params, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    const { outcome } = await asked.catch(() => ({ outcome: { outcome: 'cancelled' as const } }));
    return outcome.outcome === 'selected' ? outcome.optionId : undefined;
  };
  return {
    // An answer that the editor cancels decides nothing.
    async approve(question, signal) {
      const { call, place } = question;
      const rows = [...callRows(call, columns), ...placeRows(call, place, columns), ...reasonRows(call, columns)];
      const parts = callParts(eventToRun(call), place.workspace);
      const toolCall = { ...parts, content: [...textContent(rows.join('\n')), ...(parts.content ?? [])] };
      const chosen = await ask(toolCall, optionsOf(question), signal);
      if (chosen === 'reject') return { reason: 'The user rejected the call.' };
      return chosen === 'once' || chosen === 'session' || chosen === 'always' ? chosen : 'later';
    },
    async choose(question, signal) {
      const { title, call, choices } = question;
      const about = call
        ? { toolCallId: call.event.id, content: textContent(questionRows(question, columns).join('\n')) }
        : { toolCallId: randomUUID(), kind: 'fetch' as const };
      return ask({ ...about, title }, choices.map(optionOf), signal);
    },
  };
}

function optionOf({ id, label, allows, isRefusal }: Choice): PermissionOption {
  if (isRefusal) return { optionId: id, name: 'Reject', kind: 'reject_once' };
  const name = `${label.charAt(0).toUpperCase()}${label.slice(1)}`;
  return { optionId: id, name, kind: allows === 'always' ? 'allow_always' : 'allow_once' };
}

function optionsOf({ call, place }: CallQuestion): PermissionOption[] {
  const grant = sessionGrant(call, place);
  const rules = proposedRules(call, place);
  return [
    allowed,
    ...(grant ? [lasting('session', `Allow for this session: ${grant.covers}`)] : []),
    ...(rules.length > 0 ? [lasting('always', `Always in this project: ${rules.map(describeRule).join(', ')}`)] : []),
    rejected,
  ];
}

function lasting(optionId: string, name: string): PermissionOption {
  return { optionId, name, kind: 'allow_always' };
}
