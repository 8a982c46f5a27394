import type { BaseEvent } from '@varve/events';
import { HookExecutionEvent, type HookEventType } from '@varve/events/kinds';
import type { Mask } from '@varve/text';
import type { Draft } from '../../log/drafts.ts';
import type { Hook } from './hook-config.ts';
import type { HookResult } from './run-hook.ts';

/** Longest text of a hook in the log, in characters. @see software-agent-sdk HookExecutionEvent */
const maxTextLength = 50_000;

/** Execution of a hook, and its subject. */
export interface HookExecution {
  readonly type: HookEventType;
  readonly hook: Hook;
  readonly result: HookResult;
  readonly toolName?: string;
  readonly actionId?: string;
  readonly messageId?: string;
  /** Input as the log contains it. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Returns a result with short texts. They are masked before they are cut, so that no part of a secret remains. */
export function shortened(result: HookResult, mask: Mask): HookResult {
  const texts = (['stdout', 'stderr', 'reason', 'context', 'error'] as const).flatMap((name) => {
    const text = result[name];
    return text === undefined ? [] : [[name, mask(text).slice(0, maxTextLength)] as const];
  });
  return { ...result, ...Object.fromEntries(texts) };
}

/** Records the execution of a hook. */
export function hookDraft({ type, hook, result, ...subject }: HookExecution): Draft {
  const { reason, context, error } = result;
  const fields = {
    hook_event_type: type,
    hook_command: (hook.type === 'prompt' ? hook.prompt : hook.command).slice(0, maxTextLength),
    ...(subject.toolName !== undefined && { tool_name: subject.toolName }),
    success: result.success,
    blocked: result.blocked,
    exit_code: result.exitCode,
    stdout: result.stdout,
    stderr: result.stderr,
    ...(reason !== undefined && { reason }),
    ...(context !== undefined && { additional_context: context }),
    ...(error !== undefined && { error }),
    ...(subject.actionId !== undefined && { action_id: subject.actionId }),
    ...(subject.messageId !== undefined && { message_id: subject.messageId }),
    ...(subject.input && fits(subject.input) && { hook_input: structuredClone(subject.input) }),
  };
  return { make: (stamp): BaseEvent => HookExecutionEvent.create(fields, stamp) };
}

/** An input that is not stored in full is not stored: the event of the subject contains it. */
function fits(input: object): boolean {
  return JSON.stringify(input).length <= maxTextLength;
}
