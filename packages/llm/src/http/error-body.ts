import * as z from 'zod';
import { lazy } from '@varve/events';

/** Content of an error body: `message` for people, `full` to determine the error code. */
export interface ErrorBody {
  readonly message: string;
  readonly full: string;
  /** HTTP status that an error in a 200 response names. */
  readonly status?: number;
  /** The model's whole output, from a server that could not read the calls in it. */
  readonly failedGeneration?: string;
}

const shape = lazy(() =>
  z.looseObject({
    message: z.string().optional().catch(undefined),
    detail: z.string().optional().catch(undefined),
    code: z.union([z.string(), z.number()]).optional().catch(undefined),
    status: z.union([z.string(), z.number()]).optional().catch(undefined),
    failed_generation: z.string().optional().catch(undefined),
    metadata: z
      .looseObject({ raw: z.string().optional().catch(undefined) })
      .optional()
      .catch(undefined),
  }),
);

/** Parses an error body in any known shape: an `error` object, its content, a string, HTML, nothing. */
export function parseErrorBody(body: unknown): ErrorBody {
  if (typeof body === 'string') return { message: titleOf(body), full: titleOf(body) };
  const parsed = shape().safeParse(body);
  if (!parsed.success) return { message: '', full: body === undefined ? '' : JSON.stringify(body) };
  const { error } = parsed.data;
  if (error !== undefined && error !== null) return parseErrorBody(error);
  const full = JSON.stringify(body);
  const { message, detail, metadata, failed_generation: failedGeneration } = parsed.data;
  const text = [message ?? detail, metadata?.raw].filter((part) => part !== undefined).join(': ');
  const status = statusOf(parsed.data);
  return { message: text === '' ? full : text, full, ...status, ...(failedGeneration && { failedGeneration }) };
}

function statusOf({ code, status }: z.output<ReturnType<typeof shape>>): Pick<ErrorBody, 'status'> {
  const httpStatus = [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  return httpStatus === undefined ? {} : { status: httpStatus };
}

/** Title of an HTML page; other text unchanged. */
function titleOf(body: string): string {
  if (!isHtml(body)) return body;
  const opening = /<title[^>]{0,200}>/i.exec(body);
  const rest = opening ? body.slice(opening.index + opening[0].length) : '';
  // Not cut: a secret that is cut before redaction would not be found.
  const title = rest.slice(0, Math.max(0, rest.search(/<\/title/i))).trim();
  return title ? `an HTML page titled "${title}"` : 'an HTML page';
}

/** Returns true for a web page, such as the login page of a proxy. */
export function isHtml(body: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml)/i.test(body);
}
