import { z } from 'zod';

/** Text that may be missing, null or of a wrong type, all of which say nothing. */
const said = z.string().catch('');
const place = z.number().int().catch(0);

const texts = z.array(z.looseObject({ type: said, text: said, refusal: said })).catch([]);

/** An item of the output. */
export const outputItem = z.looseObject({
  type: said,
  id: said,
  call_id: said,
  name: said,
  arguments: said,
  content: texts,
  summary: texts,
  encrypted_content: said,
});

const count = z.number().nonnegative().optional().catch(undefined);
const details = z
  .looseObject({ cached_tokens: count, cache_write_tokens: count, reasoning_tokens: count })
  .optional()
  .catch(undefined);

/** A reply, whole or so far. */
export const wireResponse = z.looseObject({
  id: said,
  model: said,
  status: said,
  output: z.array(outputItem).catch([]),
  incomplete_details: z.looseObject({ reason: said }).nullish().catch(undefined),
  error: z.unknown().optional(),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      total_tokens: count,
      input_tokens_details: details,
      output_tokens_details: details,
      cost: count,
    })
    .nullish()
    .catch(undefined),
});

/**
 * An event of a streamed reply. Servers differ in what they leave out, so only what is used is read, and a field that cannot
 * be read says nothing.
 *
 * @see https://platform.openai.com/docs/api-reference/responses-streaming
 */
export const responseEvent = z.looseObject({
  type: said,
  delta: said,
  output_index: place,
  content_index: place,
  summary_index: place,
  item: outputItem.optional().catch(undefined),
  response: wireResponse.optional().catch(undefined),
});

export type OutputItem = z.output<typeof outputItem>;
export type WireResponse = z.output<typeof wireResponse>;
export type ResponseEvent = z.output<typeof responseEvent>;
