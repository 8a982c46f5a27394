import { z } from 'zod';

/** Text that may be missing, null or of a wrong type, all of which say nothing. */
const said = z.string().catch('');
const maybe = z.string().optional().catch(undefined);

/** `arguments` is unknown, because some servers send the object itself. */
const wireCall = z.looseObject({
  id: maybe,
  index: z.number().int().optional().catch(undefined),
  function: z.looseObject({ name: said, arguments: z.unknown().optional() }).optional().catch(undefined),
  extra_content: z.unknown().optional(),
});

const wireMessage = z.looseObject({
  content: z.union([z.string(), z.array(z.looseObject({ type: maybe, text: said, thinking: said }))]).catch(''),
  refusal: said,
  reasoning_content: said,
  reasoning: said,
  reasoning_text: said,
  reasoning_details: z.array(z.record(z.string(), z.unknown())).catch([]),
  thinking_blocks: z.array(z.looseObject({ type: said, thinking: said, signature: said, data: said })).catch([]),
  tool_calls: z.array(wireCall.nullable().catch(null)).catch([]),
  function_call: z.looseObject({ name: said, arguments: z.unknown().optional() }).optional().catch(undefined),
});

/**
 * A chat completion, or one chunk of a streamed one. Servers differ in what they leave out and how they say nothing, so
 * only what is used is read, and a field that cannot be read says nothing.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export const wireAnswer = z.looseObject({
  id: said,
  model: said,
  choices: z
    .array(
      z.looseObject({
        index: z.number().optional().catch(undefined),
        message: wireMessage.optional().catch(undefined),
        delta: wireMessage.optional().catch(undefined),
        finish_reason: maybe,
        usage: z.unknown().optional(),
      }),
    )
    .optional()
    .catch(undefined),
  usage: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** The message of an answer, as servers write it. */
export type WireAnswerMessage = z.output<typeof wireMessage>;
export type WireCallPiece = z.output<typeof wireCall>;
