import * as z from 'zod';
import { defineEvent } from '../define-event.ts';

/** Moments at which hooks run. */
export const hookEventTypes = [
  'PreToolUse',
  'PostToolUse',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
] as const;
export type HookEventType = (typeof hookEventTypes)[number];

/**
 * Execution of a hook and its decision. `blocked` stops the action `action_id` or the message `message_id`. `exit_code`
 * is -1 if the hook could not be started or timed out. The reference often attaches the event to another branch than
 * its subject.
 */
export const HookExecutionEvent = defineEvent('HookExecutionEvent', {
  source: 'hook',
  isOnEveryBranch: true,
  fields: () => ({
    hook_event_type: z.enum(hookEventTypes),
    hook_command: z.string(),
    tool_name: z.exactOptional(z.string()),
    success: z.boolean(),
    blocked: z.boolean().default(false),
    exit_code: z.number().int(),
    stdout: z.string().default(''),
    stderr: z.string().default(''),
    reason: z.exactOptional(z.string()),
    additional_context: z.exactOptional(z.string()),
    error: z.exactOptional(z.string()),
    action_id: z.exactOptional(z.string()),
    message_id: z.exactOptional(z.string()),
    hook_input: z.exactOptional(z.record(z.string(), z.unknown())),
  }),
});
export type HookExecutionEvent = ReturnType<typeof HookExecutionEvent.create>;
