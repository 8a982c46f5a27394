import { text } from '@varve/events';
import { defineAction, FinishAction, FinishObservation } from '@varve/events/payloads';
import * as z from 'zod';
import type { SharedTool } from './contract/tool.ts';
import { defineBuiltinTool } from './contract/define-tool.ts';
import { answerForm, type AnswerSchema } from './response-schema.ts';

/** Input of one call. */
export interface FinishCall {
  readonly message: string;
  /** Answer in the form of the response schema, when the tool has one. */
  readonly structured_output?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of {@link finish}. */
export interface FinishOptions {
  /**
   * Schema of the answer without transforms, or JSON Schema: an object with named properties. The model fills them in
   * next to the message; they are stored as `structured_output` of the action.
   */
  readonly responseSchema?: AnswerSchema;
}

/** FinishAction with the field in which the reference stores an answer in the form of a schema. */
const StructuredFinish = defineAction('FinishAction', () => ({
  ...FinishAction.fields.shape,
  structured_output: z.exactOptional(z.record(z.string(), z.unknown())),
}));

/**
 * Returns the tool by which the model reports that the task is complete. Ending the run is up to the agent.
 *
 * @throws {ToolError} `unusable` when the schema does not describe an object with named properties.
 */
export function finish(options: FinishOptions = {}): SharedTool<FinishCall> {
  if (options.responseSchema === undefined) return plainFinish(FinishAction);
  const { schema, check } = answerForm(options.responseSchema);
  const base: SharedTool<FinishCall> = plainFinish(StructuredFinish);
  const { properties, required } = plainFinish(FinishAction).parameters;
  const { $schema: _dialect, $id: _id, title: _title, description: _description, ...form } = schema;
  return {
    ...base,
    parameters: {
      ...form,
      properties: { ...Object(properties), ...Object(form['properties']) },
      required: [required, form['required']].flatMap((names) => (Array.isArray(names) ? (names as unknown[]) : [])),
    },
    parse(input) {
      if (typeof input !== 'object' || input === null || Array.isArray(input)) return base.parse(input);
      const { message, ...answer } = input as Record<string, unknown>;
      return { ...base.parse({ message }), structured_output: check(answer) };
    },
    fromAction(action) {
      const call = base.fromAction(action);
      return { ...call, structured_output: check(call.structured_output) };
    },
  };
}

function plainFinish(input: typeof FinishAction | typeof StructuredFinish): SharedTool<FinishCall> {
  return defineBuiltinTool({
    name: 'finish',
    description:
      'Ends the task. Call it when everything asked for is done and checked, or when you cannot continue; report to the user in the message what was done, what was not, and what they need to know.',
    input: input as typeof StructuredFinish,
    output: FinishObservation,
    definitionKind: 'FinishTool',
    annotations: { title: 'finish', openWorldHint: false },
    effect: 'read',
    resources: () => [],
    execute: async ({ message }: FinishCall) => ({ content: [text(message || 'The task is over.')] }),
  });
}
