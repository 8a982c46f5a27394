import { type Content, text } from '@varve/events';
import {
  ClientToolObservation,
  MCPToolAction,
  MCPToolObservation,
  type ObservationDefinition,
  type PayloadDefinition,
} from '@varve/events/payloads';
import type { JsonSchema } from '@varve/text';
import type * as z from 'zod';
import {
  hintsOf,
  type Effect,
  type OwnedTool,
  type SharedTool,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolControl,
  type ToolOutput,
} from './tool.ts';
import { ToolError } from './error.ts';
import { lifetime } from './lifetime.ts';
import { inputForm, zodForm, type InputForm, type StandardSchema } from './standard-schema.ts';

type Shape = z.ZodRawShape;

/** Arguments of an observation's `create`: `content`, `is_error` and the fields of its kind. */
type ObservationFields<Out extends Shape> = Parameters<ObservationDefinition<string, Out>['create']>[0];

interface CommonOptions<Input> {
  /** Unique within an agent; `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  /** See `aliases` of {@link Tool}. Default: none. */
  readonly aliases?: readonly string[];
  readonly description: string;
  /** Default: what follows from `effect`, otherwise the cautious value. */
  readonly annotations?: Partial<Omit<ToolAnnotations, 'readOnlyHint'>>;
  /** See `sandbox` of {@link Tool}. */
  readonly sandbox?: string;
  /** A call with the effect `read` runs unasked, unless the policy asks about every call. */
  readonly effect: Effect | ((input: Input) => Effect);
  readonly resources?: (input: Input) => readonly string[];
  /** See `repairInput` of {@link Tool}. Default: nothing is corrected. */
  readonly repairInput?: (input: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** See `control` of {@link Tool}. Default: none. */
  readonly control?: (input: Input) => ToolControl;
  /**
   * Ends what the tool keeps between calls, such as a process. A tool with it belongs to one conversation: make another
   * for each. Default: nothing is kept, and one value serves all conversations.
   */
  readonly close?: () => Promise<void>;
}

/** `close` of a tool that one conversation owns. */
type Owned = Required<Pick<CommonOptions<never>, 'close'>>;

/** `close` of a tool that conversations share. */
interface Shared {
  readonly close?: never;
}

/** Options of {@link defineBuiltinTool}. `execute` returns the fields of the observation. */
export interface BuiltinToolOptions<In extends Shape, Out extends Shape, Input> extends CommonOptions<Input> {
  readonly input: PayloadDefinition<string, In>;
  readonly output: ObservationDefinition<string, Out>;
  /** Class name of the definition in the reference, for instance `TerminalTool`. */
  readonly definitionKind: string;
  readonly execute: (input: Input, context: ToolContext) => Promise<ObservationFields<Out>>;
}

/**
 * Options of {@link defineTool}. The schema's output must be JSON that the schema also accepts, because stored calls
 * are parsed with it again.
 */
export interface CustomToolOptions<Input, Output> extends CommonOptions<Input> {
  /**
   * A zod object, which rejects unknown fields unless it is `loose` or has a `catchall`; or a schema of another
   * library, which treats them as that does, and whose messages the model reads.
   */
  readonly input: StandardSchema<Input>;
  /**
   * True for calls that only begin something: the result of `execute` is a first answer, and a program passes the
   * result on to `Conversation.complete`, with the `actionId` of the context. The model reads that in the description.
   */
  readonly completesLater?: boolean;
  /** JSON Schema of the input, for a schema of a library that makes none. Ignored for a zod object. */
  readonly jsonSchema?: JsonSchema;
  /**
   * Runs the call. A failure that the model can answer is an output. A thrown error reaches the caller of the tool
   * unchanged; an agent reports its message to the model. A call that does not end within a second after the signal
   * aborts is abandoned, and its result is lost.
   */
  readonly execute: (input: Input, context: ToolContext) => Promise<Output>;
  /** Renders a result for the model. Default: a string unchanged, anything else as JSON. */
  readonly present?: (output: Output) => ToolOutput;
}

/**
 * Defines a tool whose calls and results have their own payload kinds in `@varve/events/payloads`. Every built-in tool
 * is defined with it, because the event format already has a kind for each; use {@link defineTool} for all other tools.
 */
export function defineBuiltinTool<In extends Shape, Out extends Shape>(
  options: BuiltinToolOptions<In, Out, z.output<z.ZodObject<In>>> & Owned,
): OwnedTool<z.output<z.ZodObject<In>>>;
export function defineBuiltinTool<In extends Shape, Out extends Shape>(
  options: BuiltinToolOptions<In, Out, z.output<z.ZodObject<In>>> & Shared,
): SharedTool<z.output<z.ZodObject<In>>>;
export function defineBuiltinTool<In extends Shape, Out extends Shape>(
  options: BuiltinToolOptions<In, Out, z.output<z.ZodObject<In>>>,
): Tool<z.output<z.ZodObject<In>>> {
  const { input: action, output: observation, definitionKind } = options;
  const { run, ...closing } = lifetime(options);
  const form = zodForm(options.name, action.fields);
  const base = sharedFields(options, form);
  return {
    ...base,
    ...closing,
    definition: {
      description: options.description,
      action_type: action.kind,
      observation_type: observation.kind,
      annotations: base.annotations,
      kind: definitionKind,
      title: options.annotations?.title ?? options.name,
    },
    parse: form.parse,
    toAction: (input) => action.create(input as never) as never,
    fromAction(payload) {
      if (!action.is(payload)) throw wrongPayloadError(options.name, payload.kind);
      const { kind: _kind, ...fields } = payload;
      return form.parse(fields);
    },
    execute: async (input, context) =>
      observation.create(await run(context.signal, () => options.execute(input, context))) as never,
  };
}

/**
 * Defines a tool from a schema and a function. Calls and results are stored in the reference's generic MCP payloads, so
 * the event format needs no new kind.
 *
 * @throws {ToolError} `unusable` for a schema without a JSON Schema of an object.
 */
export function defineTool<Input extends object, Output>(
  options: CustomToolOptions<Input, Output> & Owned,
): OwnedTool<Input>;
export function defineTool<Input extends object, Output>(
  options: CustomToolOptions<Input, Output> & Shared,
): SharedTool<Input>;
export function defineTool<Input extends object, Output>(options: CustomToolOptions<Input, Output>): Tool<Input> {
  const form = inputForm(options.name, options.input, options.jsonSchema);
  const description = options.completesLater ? `${options.description} ${laterNote}` : options.description;
  const base = sharedFields({ ...options, description }, form);
  const { run, ...closing } = lifetime(options);
  const present =
    options.present ??
    ((output: Output) => (typeof output === 'string' ? output : (JSON.stringify(output) ?? 'undefined')));
  return {
    ...base,
    ...closing,
    definition: {
      description,
      action_type: MCPToolAction.kind,
      observation_type: options.completesLater ? ClientToolObservation.kind : MCPToolObservation.kind,
      annotations: base.annotations,
      mcp_tool: { name: options.name, description, inputSchema: base.parameters },
      kind: 'MCPToolDefinition',
      title: base.annotations.title ?? options.name,
    },
    parse: form.parse,
    toAction: (value) => MCPToolAction.create({ data: { ...value } as Record<string, unknown> }),
    fromAction(payload) {
      if (!MCPToolAction.is(payload)) throw wrongPayloadError(options.name, payload.kind);
      return form.parse(payload.data);
    },
    async execute(value, context) {
      const content = contentOf(present(await run(context.signal, () => options.execute(value, context))));
      if (options.completesLater) return ClientToolObservation.create({ content });
      return MCPToolObservation.create({ content, tool_name: options.name });
    },
  };
}

const laterNote =
  'The call only starts it, and its result follows in a message: do not repeat the call because it has no result yet.';

function sharedFields<Input>(
  options: CommonOptions<Input>,
  { parameters }: InputForm<Input>,
): Omit<Tool<Input>, 'definition' | 'parse' | 'toAction' | 'fromAction' | 'execute' | 'close'> {
  const { name, aliases, description, sandbox, effect, repairInput, control } = options;
  return {
    name,
    ...(aliases && { aliases }),
    description,
    annotations: { ...hintsOf(typeof effect === 'function' ? undefined : effect), ...options.annotations },
    ...(sandbox !== undefined && { sandbox }),
    parameters,
    effect: (value) => (typeof effect === 'function' ? effect(value) : effect),
    resources: (value) => options.resources?.(value),
    ...(repairInput && { repairInput }),
    ...(control && { control }),
  };
}

function wrongPayloadError(name: string, kind: string): ToolError {
  return new ToolError('invalid-input', `A ${kind} is not an action of ${name}.`);
}

function contentOf(presented: ToolOutput): readonly Content[] {
  return typeof presented === 'string' ? [text(presented)] : presented;
}
