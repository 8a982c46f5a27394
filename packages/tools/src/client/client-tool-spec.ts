import * as z from 'zod';
import { lazy } from '@varve/events';
import type { ToolAnnotations } from '../contract/tool.ts';
import { ToolError } from '../contract/error.ts';

/** Description of a tool that a client executes. */
export interface ClientToolSpec {
  /** `[a-zA-Z_][a-zA-Z0-9_-]{0,63}`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of type object. Default: no parameters. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Default: every hint at its cautious value. */
  readonly annotations?: { readonly [Hint in keyof ToolAnnotations]?: ToolAnnotations[Hint] | undefined } | undefined;
}

const annotations = lazy(() =>
  z.object({
    title: z.string().nullish().transform(nullToUndefined),
    readOnlyHint: z.boolean().exactOptional(),
    destructiveHint: z.boolean().exactOptional(),
    idempotentHint: z.boolean().exactOptional(),
    openWorldHint: z.boolean().exactOptional(),
  }),
);

const specSchema = lazy(() =>
  z.object({
    name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/, 'not a name that models can call'),
    description: z.string(),
    parameters: z.record(z.string(), z.unknown()).nullish().transform(nullToUndefined),
    annotations: annotations().nullish().transform(nullToUndefined),
  }),
);

/**
 * Parses the description of a client tool in each of its stored forms: as sent by a client, as the `{ name, params: {
 * spec } }` of a stored agent, and as the definition in a system prompt event. Unknown fields are dropped.
 *
 * @throws {ToolError} `unusable` naming the first invalid field.
 * @see software-agent-sdk openhands/sdk/tool/client_tool.py
 */
export function clientToolSpec(json: unknown): ClientToolSpec {
  const result = specSchema().safeParse(unwrapDefinition(unwrapStored(json)));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.length ? `${issue.path.join('.')}: ` : '';
  throw new ToolError('unusable', `The client tool cannot be used. ${field}${issue?.message ?? 'unknown problem'}.`, {
    cause: result.error,
  });
}

function nullToUndefined<T>(value: T | null | undefined): T | undefined {
  return value ?? undefined;
}

function unwrapStored(json: unknown): unknown {
  const spec = fieldsOf(fieldsOf(json)['params'])['spec'];
  return spec ?? json;
}

function unwrapDefinition(json: unknown): unknown {
  const { kind, client_tool_name: name, input_schema: parameters, ...rest } = fieldsOf(json);
  return kind === 'ClientTool' ? { ...rest, name, parameters } : json;
}

function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? { ...json } : {};
}
