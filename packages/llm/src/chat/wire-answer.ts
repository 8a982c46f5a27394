import * as z from 'zod';

/** Text that may be missing, null or of another type, all of which mean none. */
const textField = z.string().catch('');
const optionalText = z.string().optional().catch(undefined);

/** `arguments` is unknown, because some servers send the object itself. */
const wireCall = z.looseObject({
  id: optionalText,
  index: z.number().int().optional().catch(undefined),
  function: z.looseObject({ name: textField, arguments: z.unknown().optional() }).optional().catch(undefined),
  extra_content: z.unknown().optional(),
});

/** Mistral sends `thinking` as a list of text parts. */
const thinkingField = z
  .union([z.string(), z.array(z.looseObject({ text: textField }).catch({ text: '' }))])
  .transform((value) => (typeof value === 'string' ? value : value.map(({ text }) => text).join('')))
  .catch('');

/** Parts of other types, such as references, have neither field. */
const contentPart = z.looseObject({ text: textField, thinking: thinkingField }).catch({ text: '', thinking: '' });

const wireMessage = z.looseObject({
  content: z.union([z.string(), z.array(contentPart)]).catch(''),
  refusal: textField,
  reasoning_content: textField,
  reasoning: textField,
  reasoning_text: textField,
  reasoning_details: z.array(z.record(z.string(), z.unknown())).catch([]),
  thinking_blocks: z
    .array(z.looseObject({ type: textField, thinking: textField, signature: textField, data: textField }))
    .catch([]),
  tool_calls: z.array(wireCall.nullable().catch(null)).catch([]),
  function_call: z.looseObject({ name: textField, arguments: z.unknown().optional() }).optional().catch(undefined),
});

/**
 * A chat completion, or one chunk of a streamed one. Servers differ in the fields they leave out and in the values for
 * nothing, so only the used fields are read, and an unreadable field counts as missing.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export const wireAnswer = z.looseObject({
  id: textField,
  model: textField,
  choices: z
    .array(
      z.looseObject({
        index: z.number().optional().catch(undefined),
        message: wireMessage.optional().catch(undefined),
        delta: wireMessage.optional().catch(undefined),
        finish_reason: optionalText,
        usage: z.unknown().optional(),
      }),
    )
    .optional()
    .catch(undefined),
  usage: z.unknown().optional(),
  /** Groq sends the usage of a stream only here. */
  x_groq: z.looseObject({ usage: z.unknown().optional() }).optional().catch(undefined),
  error: z.unknown().optional(),
});

/** Message of a response, as servers write it. */
export type WireAnswerMessage = z.output<typeof wireMessage>;
/** Tool call of a response, or a piece of one. */
export type WireCallPiece = z.output<typeof wireCall>;
