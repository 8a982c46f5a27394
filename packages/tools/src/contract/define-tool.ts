import { type Content, text } from '@varve/events';
import {
  MCPToolAction,
  MCPToolObservation,
  type ObservationDefinition,
  type PayloadDefinition,
} from '@varve/events/payloads';
import type { z } from 'zod';
import type { Effect, ToolOutput, Tool, ToolAnnotations, ToolContext } from './tool.ts';
import { ToolError } from './error.ts';
import { lifetime } from './lifetime.ts';
import { modelSchema } from './model-schema.ts';

type Shape = z.ZodRawShape;

/** What an observation is made from: `content`, `is_error` and the fields of its kind. */
type ObservationFields<Out extends Shape> = Parameters<ObservationDefinition<string, Out>['create']>[0];

interface CommonOptions<Input> {
  /** Unique within an agent; `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  readonly description: string;
  /** Default: all hints at their cautious value. */
  readonly annotations?: Partial<ToolAnnotations>;
  readonly effect: Effect | ((input: Input) => Effect);
  readonly resources?: (input: Input) => readonly string[];
  readonly close?: () => Promise<void>;
}

/** A tool with payload kinds of its own in the event format. `execute` returns the observation's fields. */
export interface BuiltinToolOptions<In extends Shape, Out extends Shape, Input> extends CommonOptions<Input> {
  readonly input: PayloadDefinition<string, In>;
  readonly output: ObservationDefinition<string, Out>;
  /** The class name the reference gives the definition, for instance `TerminalTool`. */
  readonly definitionKind: string;
  readonly execute: (input: Input, context: ToolContext) => Promise<ObservationFields<Out>>;
}

/**
 * A tool of your own: any zod object in, anything out. It is stored as the reference's generic MCP payloads. What the
 * schema puts out must be JSON that it also accepts, because stored calls are read through it again. Fields it does not
 * know are rejected, unless it says `loose` or `catchall`.
 */
export interface CustomToolOptions<In extends Shape, Output, Input> extends CommonOptions<Input> {
  readonly input: z.ZodObject<In>;
  /**
   * Does the work. A failure the model can answer is an output; what it throws is a bug and reaches the caller of the tool
   * as it is.
   * When it does not end within a second after the signal aborts, the call is over and its later result is lost.
   */
  readonly execute: (input: Input, context: ToolContext) => Promise<Output>;
  /** What the model reads of a result. Default: a string as it is, anything else as JSON. */
  readonly present?: (output: Output) => ToolOutput;
}

const cautious: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Defines a tool with payload kinds of its own. Each built-in tool is one call of this in one file. */
export function defineBuiltinTool<In extends Shape, Out extends Shape>(
  options: BuiltinToolOptions<In, Out, z.output<z.ZodObject<In>>>,
): Tool<z.output<z.ZodObject<In>>> {
  const { input: action, output: observation, definitionKind } = options;
  const { run: running, close } = lifetime(options);
  return {
    ...sharedFields(options, action.fields),
    close,
    definition: {
      description: options.description,
      action_type: action.kind,
      observation_type: observation.kind,
      annotations: { ...cautious, ...options.annotations },
      kind: definitionKind,
      title: options.annotations?.title ?? options.name,
    },
    parse: (input) => parseInput(options.name, action.fields, input),
    toAction: (input) => action.create(input as never) as never,
    fromAction(payload) {
      if (!action.is(payload)) throw wrongPayloadError(options.name, payload.kind);
      const { kind: _kind, ...fields } = payload;
      return parseInput(options.name, action.fields, fields);
    },
    execute: async (input, context) =>
      observation.create(await running(context.signal, () => options.execute(input, context))) as never,
  };
}

/** Defines a tool of your own; see {@link CustomToolOptions}. */
export function defineTool<In extends Shape, Output>(
  options: CustomToolOptions<In, Output, z.output<z.ZodObject<In>>>,
): Tool<z.output<z.ZodObject<In>>> {
  const input = withStrictDefault(options.input);
  const base = sharedFields(options, input);
  const { run: running, close } = lifetime(options);
  const present = options.present ?? ((output: Output) => (typeof output === 'string' ? output : asJson(output)));
  return {
    ...base,
    close,
    definition: {
      description: options.description,
      action_type: MCPToolAction.kind,
      observation_type: MCPToolObservation.kind,
      annotations: base.annotations,
      mcp_tool: { name: options.name, description: options.description, inputSchema: base.parameters },
      kind: 'MCPToolDefinition',
      title: base.annotations.title ?? options.name,
    },
    parse: (value) => parseInput(options.name, input, value),
    toAction: (value) => MCPToolAction.create({ data: { ...value } }),
    fromAction(payload) {
      if (!MCPToolAction.is(payload)) throw wrongPayloadError(options.name, payload.kind);
      return parseInput(options.name, input, payload.data);
    },
    async execute(value, context) {
      const content = contentOf(present(await running(context.signal, () => options.execute(value, context))));
      return MCPToolObservation.create({ content, tool_name: options.name });
    },
  };
}

function sharedFields<Input>(
  options: CommonOptions<Input>,
  input: z.ZodObject,
): Pick<Tool<Input>, 'name' | 'description' | 'annotations' | 'parameters' | 'effect' | 'resources'> {
  const { name, description, effect } = options;
  return {
    name,
    description,
    annotations: { ...cautious, ...options.annotations },
    parameters: modelSchema(input),
    effect: (value) => (typeof effect === 'function' ? effect(value) : effect),
    resources: (value) => options.resources?.(value),
  };
}

function withStrictDefault<In extends Shape>(schema: z.ZodObject<In>): z.ZodObject<In> {
  return schema.def.catchall === undefined ? schema.strict() : schema;
}

function parseInput<In extends Shape>(
  name: string,
  schema: z.ZodObject<In>,
  input: unknown,
): z.output<z.ZodObject<In>> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const reasons = result.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  throw new ToolError('invalid-input', `The arguments of ${name} are not valid. ${reasons.join('; ')}.`, {
    cause: result.error,
  });
}

function wrongPayloadError(name: string, kind: string): ToolError {
  return new ToolError('invalid-input', `A ${kind} is not an action of ${name}.`);
}

function contentOf(presented: ToolOutput): readonly Content[] {
  return typeof presented === 'string' ? [text(presented)] : presented;
}

function asJson(value: unknown): string {
  return JSON.stringify(value) ?? 'undefined';
}
