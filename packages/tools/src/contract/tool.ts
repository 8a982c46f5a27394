import type { Content } from '@varve/events';
import type { Observation, Payload } from '@varve/events/payloads';
import type { Refusal } from '@varve/sandbox';

/**
 * Consequence of running a call twice: `read` changes nothing, `idempotent` may be repeated with the same key, `write`
 * must run at most once.
 */
export type Effect = 'read' | 'idempotent' | 'write';

/** Context of one call, passed to `execute` next to the input. */
export interface ToolContext {
  /** Directory the agent works in: absolute, existing, resolved. */
  readonly workspace: string;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** Key that is equal for every attempt at this call; pass it on to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Id of the event of the call; absent for a call that is no event. */
  readonly actionId?: string;
  /**
   * Digests of files as calls of the conversation last showed or wrote them, by their paths with links resolved. Tools
   * add to it. Absent: nothing is known.
   */
  readonly shownFiles?: Map<string, string>;
  /** Receives output while the call runs, for display only. Must not throw. */
  readonly onOutput?: (chunk: string) => void;
  /**
   * Directory in which an earlier process left the shell of the conversation, absolute. The first shell of a terminal
   * starts there, because a call that was written for it means other files in the workspace.
   */
  readonly shellDirectory?: string;
  /**
   * Directories in which the command was approved to start, absolute or below `~`; absent if it may start anywhere. A
   * shell in another one does not run it.
   */
  readonly startDirectories?: readonly string[];
  /**
   * Asks a person whether a call to which the sandbox refused something runs once more, outside of it. When it resolves
   * to true, that is stored. Absent without a person.
   */
  readonly askOutside?: (refusal: Refusal) => Promise<boolean>;
  /**
   * Rejects if another process has taken the conversation over. A tool that has waited since its call began awaits it
   * right before its change.
   */
  readonly checkLease?: () => Promise<void>;
}

/** Hints for users and policies, as MCP defines them. With `readOnlyHint` every call has the effect `read`. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** Annotations of a tool about which nothing is known. */
export const cautiousAnnotations: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/**
 * Control of a call over the run that it is part of: a transfer to another agent, the end of a loop, or a result that
 * is the answer, which the model does not summarize.
 */
export type ToolControl =
  | { readonly kind: 'transfer'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'escalate'; readonly reason: string }
  | { readonly kind: 'answer' };

/**
 * Hints that follow from an effect, which is the one word for it; a tool whose effect depends on the call may do
 * anything.
 */
export function hintsOf(effect: Effect | undefined): ToolAnnotations {
  if (effect === 'read')
    return { ...cautiousAnnotations, readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  return { ...cautiousAnnotations, idempotentHint: effect === 'idempotent' };
}

/** A tool that an agent can call. Created by `defineTool`; see {@link OwnedTool} and {@link SharedTool}. */
export interface Tool<Input = unknown> {
  /** Unique within an agent; `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  /** Other names by which models call this tool. A tool that has one of them as its name takes precedence. */
  readonly aliases?: readonly string[];
  /** Description for the model. Names limits with the numbers that the tool applies. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Profile of the sandbox in which the programs of the tool run. Default: no sandbox. */
  readonly sandbox?: string;
  /** Origin of tools that come and go while a conversation is open, such as a server. Default: the tool is constant. */
  readonly source?: {
    /** Tools that were made at first. */
    readonly made: readonly Tool[];
    /**
     * Returns the tools that came and went since the last call; a changed one is in both lists. The caller closes those
     * that it does not use.
     */
    changes(signal: AbortSignal): Promise<{ readonly added: readonly Tool[]; readonly removed: readonly Tool[] }>;
  };
  /** Wraps a tool that its source adds as this one is wrapped. Absent: it is not wrapped. */
  rewrap?(added: Tool): Tool;
  /**
   * JSON Schema of the arguments: type object, without `$ref`, each property described. A tool defined elsewhere, as by
   * a client, passes its schema on unchanged. An agent offers `security_risk` and `summary` in addition, and passes on
   * `summary` only if it is described here.
   */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * Definition in the reference's JSON, for the system prompt event: `description`, `action_type`, `observation_type`,
   * `annotations`, `kind`, `title`. A tool without payload kinds of its own has `MCPToolAction`, `MCPToolObservation`
   * and `MCPToolDefinition` there, and `mcp_tool` with name, description and `inputSchema`.
   */
  readonly definition: Payload;
  /**
   * Validates arguments, which are parsed JSON, and fills in defaults. Does not modify `input`.
   *
   * @throws {ToolError} `invalid-input` naming the fields and the reasons, never values.
   */
  parse(input: unknown): Input;
  /**
   * Returns arguments with mistakes corrected that have only one possible meaning. Called with arguments that `parse`
   * rejected; the result is parsed again. Must be pure. Absent: the tool corrects nothing.
   */
  repairInput?(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
  /**
   * Returns the payload under which the call is stored, of the kind in `definition.action_type`. Holds the whole input
   * with defaults filled in, so that a changed default changes no stored call: `fromAction(toAction(input))` equals
   * `input`.
   */
  toAction(input: Input): Payload;
  /** @throws {ToolError} `invalid-input` when the payload is of another tool, or its fields are invalid. */
  fromAction(action: Payload): Input;
  /** Returns the effect of this call. Must be pure: called again after a restart, and by policies. */
  effect(input: Input): Effect;
  /**
   * Returns keys of the resources that the call uses, `<type>:<id>`; calls that share a key run one after the other.
   * Undefined: every call of this tool excludes its other calls. Empty: no call is excluded. Must be pure.
   */
  resources(input: Input): readonly string[] | undefined;
  /**
   * Returns the control of a call that succeeded. The run then ends as finished, and its result has the control. Must
   * be pure. Absent: the tool has no control, whatever the text of its results is.
   */
  control?(input: Input): ToolControl;
  /**
   * Runs the call. Every failure that the model can answer is an observation, with `is_error` when the call was not
   * executed (not found, bad value, shell lost; a command that exits with 1 was executed). Its kind is
   * `definition.observation_type`, and it has content for the model. Must settle within a second after the signal
   * aborts, and not start when it has aborted.
   *
   * @throws {ToolError} `aborted` when the signal aborted and there is no result, `closed`, `unusable`. Anything else
   * is a bug; a conversation still answers the call with it, as a failure of the tool.
   */
  execute(input: Input, context: ToolContext): Promise<Observation>;
  /**
   * Releases the state between calls, after running calls were cancelled. Idempotent; resolves when all of it has
   * ended. Absent without such state.
   */
  close?(): Promise<void>;
}

/** A tool with state between calls, such as a shell: one value serves one conversation, which closes it. */
export interface OwnedTool<Input = unknown> extends Tool<Input> {
  close(): Promise<void>;
}

/** A tool without state between calls: one value serves any number of conversations, and none closes it. */
export interface SharedTool<Input = unknown> extends Tool<Input> {
  readonly close?: never;
}

/** Result of a custom tool as the model reads it. */
export type ToolOutput = string | readonly Content[];
