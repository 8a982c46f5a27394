import * as z from 'zod';
import { lazy } from '@varve/events';
import { lenientList } from '../protocol/lenient-list.ts';

/** Text that may be missing, null or of another type, all of which mean none. */
const textField = lazy(() => z.string().catch(''));
const indexField = lazy(() => z.number().int().catch(0));

const texts = lazy(() => lenientList(z.looseObject({ type: textField(), text: textField(), refusal: textField() })));

/** An item of the output. */
export const outputItem = lazy(() =>
  z.looseObject({
    type: textField(),
    id: textField(),
    call_id: textField(),
    name: textField(),
    phase: textField(),
    arguments: textField(),
    content: texts(),
    summary: texts(),
    encrypted_content: textField(),
  }),
);

/** A reply, complete or in progress. */
export const wireResponse = lazy(() =>
  z.looseObject({
    id: textField(),
    model: textField(),
    status: textField(),
    output: lenientList(outputItem()),
    incomplete_details: z.looseObject({ reason: textField() }).nullish().catch(undefined),
    error: z.unknown().optional(),
    /** The counts are read under the names of the chat protocol. */
    usage: z.looseObject({}).nullish().catch(undefined),
  }),
);

/**
 * An event of a streamed reply. Servers differ in the fields they leave out, so only the used fields are read, and an
 * unreadable field counts as missing.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export const responseEvent = lazy(() =>
  z.looseObject({
    type: textField(),
    delta: textField(),
    output_index: indexField(),
    content_index: indexField(),
    summary_index: indexField(),
    item: outputItem().optional().catch(undefined),
    response: wireResponse().optional().catch(undefined),
  }),
);

export type OutputItem = z.output<ReturnType<typeof outputItem>>;
export type WireResponse = z.output<ReturnType<typeof wireResponse>>;
export type ResponseEvent = z.output<ReturnType<typeof responseEvent>>;
