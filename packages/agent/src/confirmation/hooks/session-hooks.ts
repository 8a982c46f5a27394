import type { ActionEvent, HookEventType, ObservationEvent } from '@varve/events/kinds';
import type { Mask } from '@varve/text';
import { ToolError } from '@varve/tools';
import type { ProgramSandbox } from '@varve/tools/workspace';
import type { Draft } from '../../log/drafts.ts';
import { hookDraft, shortened, type HookExecution } from './hook-drafts.ts';
import { maxHookSeconds, type Hook, type HookConfig } from './hook-config.ts';
import { runHook, type HookInput, type HookResult } from './run-hook.ts';
import { runPromptHook, type AskHookModel } from './run-prompt-hook.ts';
import { matchesTool } from './tool-matcher.ts';

/** Options of {@link SessionHooks}. */
export interface SessionHooksOptions {
  readonly config: HookConfig;
  readonly conversationId: string;
  readonly workspace: string;
  /** Replaces secrets in the input of hooks and in what the log contains of them. */
  readonly mask: Mask;
  /** Calls the model for hooks that are questions. */
  readonly ask: AskHookModel;
  readonly timeout: (ms: number) => AbortSignal;
  /** Walls around hooks that are commands. Default: none. */
  readonly sandbox?: ProgramSandbox | undefined;
}

/** Joint result of the hooks of one event. */
export interface HookVerdict {
  /** Records of the executions, to be stored with their consequence. */
  readonly drafts: readonly Draft[];
  /** Reason of the hook that blocked; undefined if none did. */
  readonly blocked?: string;
  /** Texts for the model. */
  readonly contexts: readonly string[];
  /** True if the signal aborted before all hooks had run: nothing is decided. */
  readonly isAborted: boolean;
}

/** Subject of the hooks of one event. */
type Subject = Omit<HookExecution, 'type' | 'hook' | 'result'> &
  Pick<HookInput, 'message' | 'tool_input' | 'tool_response'> & { readonly signal: AbortSignal };

/** Events whose hooks can block; the first that does is the last that runs. */
const blockingEvents = new Set<HookEventType>(['PreToolUse', 'UserPromptSubmit', 'Stop']);

/** Hooks at the end of a session keep its owner waiting, so they have less time. */
const maxEndSeconds = 10;

const nothing: HookVerdict = { drafts: [], contexts: [], isAborted: false };
const started: HookResult = { exitCode: 0, stdout: '', stderr: '', success: true, blocked: false };

/** Names a call with its arguments, which a person may change after the call has passed. */
function nameOf({ id, action }: ActionEvent): string {
  return JSON.stringify([id, action]);
}

/**
 * Runs the hooks of an open conversation. Stores nothing: its caller stores a decision together with its consequence.
 */
export class SessionHooks {
  readonly #options: SessionHooksOptions;
  readonly #end = new AbortController();
  readonly #background = new Set<Promise<unknown>>();
  readonly #passed = new Set<string>();
  #hasStarted = false;

  constructor(options: SessionHooksOptions) {
    this.#options = options;
  }

  /** Reports whether the event has hooks for this tool, or at all. */
  has(type: HookEventType, toolName?: string): boolean {
    return this.#hooksOf(type, toolName).length > 0;
  }

  /** Reports whether the hooks of the start of the session have still to run. */
  get isNew(): boolean {
    return !this.#hasStarted && this.has('SessionStart');
  }

  /** Reports whether a call has hooks that did not let it pass yet in this process. */
  isUndecided(event: ActionEvent): boolean {
    return this.has('PreToolUse', event.tool_name) && !this.#passed.has(nameOf(event));
  }

  /** Lets a call pass from now on. Called when the decision is stored. */
  pass(event: ActionEvent): void {
    this.#passed.add(nameOf(event));
  }

  /** Runs the hooks of the start of a session the first time it is called; later nothing. */
  async start(signal: AbortSignal): Promise<HookVerdict> {
    if (this.#hasStarted) return nothing;
    this.#hasStarted = true;
    const verdict = await this.#run('SessionStart', { signal });
    // Repeated with the next message or run, as nothing of it was stored.
    if (verdict.isAborted) this.#hasStarted = false;
    return verdict;
  }

  beforeMessage(message: string, messageId: string, signal: AbortSignal): Promise<HookVerdict> {
    const masked = this.#options.mask(message);
    return this.#run('UserPromptSubmit', { message: masked, messageId, input: { message: masked }, signal });
  }

  beforeCall({ id, tool_name: toolName, action }: ActionEvent, signal: AbortSignal): Promise<HookVerdict> {
    const input = { tool_name: toolName, tool_input: action };
    return this.#run('PreToolUse', { toolName, actionId: id, tool_input: action, input, signal });
  }

  afterCall(
    { id, tool_name: toolName, action }: ActionEvent,
    { observation }: ObservationEvent,
    signal: AbortSignal,
  ): Promise<HookVerdict> {
    const input = { tool_name: toolName, tool_input: action };
    const payloads = { tool_input: action, tool_response: observation };
    return this.#run('PostToolUse', { toolName, actionId: id, ...payloads, input, signal });
  }

  beforeStop(signal: AbortSignal): Promise<HookVerdict> {
    return this.#run('Stop', { signal });
  }

  /** Stops hooks in the background, then runs those of the end of the session if it was started. */
  async end(): Promise<HookVerdict> {
    this.#end.abort();
    await Promise.allSettled(this.#background);
    if (!this.#hasStarted) return nothing;
    this.#hasStarted = false;
    return this.#run('SessionEnd', { signal: AbortSignal.timeout(maxHookSeconds * 1000) });
  }

  async #run(type: HookEventType, { signal, ...subject }: Subject): Promise<HookVerdict> {
    const { mask, conversationId, workspace } = this.#options;
    const { message, tool_input, tool_response, ...recorded } = subject;
    const input: HookInput = {
      event_type: type,
      ...(subject.toolName !== undefined && { tool_name: subject.toolName, tool_input }),
      ...(tool_response !== undefined && { tool_response }),
      ...(message !== undefined && { message }),
      session_id: conversationId,
      working_dir: workspace,
      metadata: {},
    };
    const drafts: Draft[] = [];
    const contexts: string[] = [];
    for (const hook of this.#hooksOf(type, subject.toolName)) {
      const ended = await this.#execute(hook, input, signal);
      if (ended === 'aborted') return { drafts, contexts, isAborted: true };
      const result = shortened(blockingEvents.has(type) ? ended : { ...ended, blocked: false }, mask);
      drafts.push(hookDraft({ type, hook: mask(hook), result, ...recorded }));
      if (result.context !== undefined) contexts.push(result.context);
      if (result.blocked) return { drafts, contexts, isAborted: false, blocked: result.reason ?? '' };
    }
    return { drafts, contexts, isAborted: false };
  }

  async #execute(hook: Hook, input: HookInput, signal: AbortSignal): Promise<HookResult | 'aborted'> {
    const { ask, timeout, sandbox } = this.#options;
    if (hook.type === 'command' && hook.async === true && input.event_type !== 'SessionEnd') {
      const work = runHook(hook, input, { signal: this.#end.signal, sandbox }).catch(() => undefined);
      this.#background.add(work);
      void work.finally(() => this.#background.delete(work));
      return started;
    }
    const seconds =
      input.event_type === 'SessionEnd' ? Math.min(hook.timeout ?? maxEndSeconds, maxEndSeconds) : undefined;
    const limited = { ...hook, ...(seconds !== undefined && { timeout: seconds }) };
    try {
      if (limited.type === 'command') return await runHook(limited, input, { signal, sandbox });
      return await runPromptHook(limited, input, { ask, timeout, signal });
    } catch (error) {
      if (error instanceof ToolError && error.code === 'aborted') return 'aborted';
      throw error;
    }
  }

  #hooksOf(type: HookEventType, toolName?: string): readonly Hook[] {
    const groups = this.#options.config[type] ?? [];
    return groups.filter(({ matcher = '' }) => matchesTool(matcher, toolName)).flatMap(({ hooks }) => hooks);
  }
}
