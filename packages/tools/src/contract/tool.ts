import type { Content } from '@varve/events';
import type { Observation, Payload } from '@varve/events/payloads';

/**
 * What doing a call twice would mean: `read` changes nothing, `idempotent` may be repeated with the same key, `write` must
 * happen at most once.
 */
export type Effect = 'read' | 'idempotent' | 'write';

/** What a call may use besides its input. */
export interface ToolContext {
  /** The directory the agent works in: absolute, existing, resolved. */
  readonly workspace: string;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  /** The same for every attempt at this call; pass it on to services that deduplicate. */
  readonly idempotencyKey: string;
  /** Called with output as it comes, for people only. Must not throw. */
  readonly onOutput?: (chunk: string) => void;
}

/** Hints for people and policies; they mean what MCP says. With `readOnlyHint` no call has the effect `write`. */
export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * Something an agent can do. Made by `defineTool`; one value may serve any number of calls of one conversation, and
 * owns what lives between them (a shell, an undo history) until it is closed.
 */
export interface Tool<Input = unknown> {
  /** Unique within an agent; `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  /** For the model. Names limits with the numbers the tool really uses. */
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /**
   * JSON Schema of type object, without `$ref`, each property described: what the model fills in; a tool that somebody
   * else describes, as a client does, passes on what it is given. An agent offers
   * `security_risk` and `summary` beside them, and passes on only a `summary` that is described here.
   */
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The reference's JSON of this definition, for the system prompt event: `description`, `action_type`,
   * `observation_type`, `annotations`, `kind`, `title`. A tool without payload kinds of its own has `MCPToolAction`,
   * `MCPToolObservation`, `MCPToolDefinition` there, and `mcp_tool` with name, description and `inputSchema`.
   */
  readonly definition: Payload;
  /**
   * Checks arguments, which are JSON that was parsed already, and fills in defaults; what it was given stays as it is.
   *
   * @throws {ToolError} `invalid-input` naming the fields and the reasons, never values.
   */
  parse(input: unknown): Input;
  /**
   * The payload under which the call is stored, of the kind in `definition.action_type`. It holds all of the input, filled
   * in defaults too, so that a later default changes no stored call: `fromAction(toAction(input))` equals `input`.
   */
  toAction(input: Input): Payload;
  /** @throws {ToolError} `invalid-input` when the payload is not one of this tool, or its fields are not good. */
  fromAction(action: Payload): Input;
  /** What doing this call again would mean. Must be pure: it is asked again after a restart, and by policies. */
  effect(input: Input): Effect;
  /**
   * Keys of what the call touches, `<type>:<id>`: calls that share one run one after the other. Undefined: every call
   * of this tool excludes the others of it; empty: none is excluded. Must be pure.
   */
  resources(input: Input): readonly string[] | undefined;
  /**
   * Does the work. Whatever the model can answer is an observation, with `is_error` when the call was not carried out (not
   * found, bad value, shell lost; a command that exits with 1 was). Its kind is `definition.observation_type`, and it shows
   * the model something. Must settle within a second after the signal aborts, and not start when it has aborted already.
   *
   * @throws {ToolError} `aborted` when the signal aborted and there is nothing to report, `closed`, `unusable`. Anything
   * else is a bug; a conversation still answers the call with it, as a failure of the tool.
   */
  execute(input: Input, context: ToolContext): Promise<Observation>;
  /** Ends what lives between calls, once calls under way were cancelled. Idempotent; waits until it has ended. */
  close(): Promise<void>;
}

/** What user-defined tools may return instead of an observation. */
export type ToolOutput = string | readonly Content[];
