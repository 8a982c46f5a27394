import * as z from 'zod';
import { lazy } from '@varve/events';
import { lenientList } from '../protocol/lenient-list.ts';

/** Text that may be missing, null or of another type, all of which mean none. */
const textField = lazy(() => z.string().catch(''));
const optionalText = lazy(() => z.string().optional().catch(undefined));

/** `arguments` is unknown, because some servers send the object itself. */
const wireCall = lazy(() =>
  z.looseObject({
    id: optionalText(),
    index: z.number().int().optional().catch(undefined),
    function: z.looseObject({ name: textField(), arguments: z.unknown().optional() }).optional().catch(undefined),
    extra_content: z.unknown().optional(),
  }),
);

/** Mistral sends `thinking` as a list of text parts. */
const thinkingField = lazy(() =>
  z
    .union([z.string(), z.array(z.looseObject({ text: textField() }).catch({ text: '' }))])
    .transform((value) => (typeof value === 'string' ? value : value.map(({ text }) => text).join('')))
    .catch(''),
);

/** Parts of other types, such as references, have neither field. */
const contentPart = lazy(() =>
  z.looseObject({ text: textField(), thinking: thinkingField() }).catch({ text: '', thinking: '' }),
);

const wireMessage = lazy(() =>
  z.looseObject({
    content: z.union([z.string(), z.array(contentPart())]).catch(''),
    refusal: textField(),
    reasoning_content: textField(),
    reasoning: textField(),
    reasoning_text: textField(),
    reasoning_details: lenientList(z.record(z.string(), z.unknown())),
    thinking_blocks: lenientList(
      z.looseObject({ type: textField(), thinking: textField(), signature: textField(), data: textField() }),
    ),
    tool_calls: lenientList(wireCall()),
    function_call: z.looseObject({ name: textField(), arguments: z.unknown().optional() }).optional().catch(undefined),
  }),
);

/**
 * A chat completion, or one chunk of a streamed one. Servers differ in the fields they leave out and in the values for
 * nothing, so only the used fields are read, and an unreadable field counts as missing.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/object
 */
export const wireAnswer = lazy(() =>
  z.looseObject({
    id: textField(),
    model: textField(),
    choices: lenientList(
      z.looseObject({
        index: z.number().optional().catch(undefined),
        message: wireMessage().optional().catch(undefined),
        delta: wireMessage().optional().catch(undefined),
        /** Of the older completions protocol. */
        text: optionalText(),
        finish_reason: optionalText(),
        usage: z.unknown().optional(),
      }),
    ),
    usage: z.unknown().optional(),
    /** Groq sends the usage and the errors of a stream only here. */
    x_groq: z.looseObject({ usage: z.unknown().optional(), error: z.unknown().optional() }).optional().catch(undefined),
    error: z.unknown().optional(),
  }),
);

/** Choice of a response, or of one chunk of it. */
export type WireChoice = z.output<ReturnType<typeof wireAnswer>>['choices'][number];
/** Message of a response, as servers write it. */
export type WireAnswerMessage = z.output<ReturnType<typeof wireMessage>>;
/** Returns the message of a choice; undefined without any. */
export function messageOfChoice({ delta, message, text }: WireChoice): WireAnswerMessage | undefined {
  return delta ?? message ?? (text === undefined ? undefined : wireMessage().parse({ content: text }));
}

/** Tool call of a response, or a piece of one. */
export type WireCallPiece = z.output<ReturnType<typeof wireCall>>;
