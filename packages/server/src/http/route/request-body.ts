import type { z } from '@hono/zod-openapi';
import { exceededJsonLimit } from '@varve/text';
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ServerEnv } from './route.ts';
import type { validationError } from './validation-errors.ts';

/** The JSON value of a request's body, or why it has none. */
export type RequestBody =
  | { readonly value: unknown }
  | { readonly errors: readonly z.output<ReturnType<typeof validationError>>[] };

/** Bytes of a JSON body: room for a few images in a message. */
export const maxBytes = 32 * 1024 * 1024;

/** Structure of JSON from clients: beyond any message, within what validation can process. */
export const jsonLimits = { depth: 128, values: 500_000 };

/**
 * Reads the JSON body of a request; `undefined` for an empty one, which clients send with a JSON content type.
 *
 * A `GET` with a body has it on the connection only, because a `Request` of the Fetch standard cannot carry one.
 *
 * @throws {HTTPException} 413 for a body of more than 32 MiB.
 */
export async function requestBody({ req, env }: Context<ServerEnv>): Promise<RequestBody> {
  const source = req.method === 'GET' ? env?.incoming : req.raw.body;
  const text = source ? await readText(source) : '';
  if (text.trim() === '') return { value: undefined };
  const exceeded = exceededJsonLimit(text, jsonLimits);
  if (exceeded !== undefined)
    return invalid(`The body exceeds the limit of ${jsonLimits[exceeded]} for its ${exceeded}.`);
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return invalid('The body is not valid JSON.', offsetOf(error));
  }
}

async function readText(source: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > maxBytes) throw new HTTPException(413, { message: `The body exceeds ${maxBytes} bytes.` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function invalid(msg: string, offset = 0): RequestBody {
  return { errors: [{ type: 'json_invalid', loc: ['body', offset], msg, input: {} }] };
}

/** Returns the offset that the message of `JSON.parse` names. */
function offsetOf(error: unknown): number {
  return Number((error instanceof Error && /position (\d+)/.exec(error.message)?.[1]) || 0);
}
