import { SdkHttpError, type Transport } from '@modelcontextprotocol/client';
import { ProcessTransport } from './process-transport.ts';

/** Longest reply to a refused request, in characters. */
const maxPage = 1000;

/** Returns the reason of a failure, with the cause that a process printed and what its walls refused. */
export function failureReason(transport: Transport, error: unknown): string {
  // The body of a refused request is often a page.
  if (SdkHttpError.isInstance(error)) return error.message.slice(0, maxPage).replaceAll(/\s+/g, ' ');
  if (!(transport instanceof ProcessTransport)) return sentenceOf(error);
  const { stderr, problem = sentenceOf(error), refusal } = transport;
  const walls = refusal === undefined ? [] : [`${refusal} Its setting is "sandbox" of the server.`];
  const printed = causeIn(stderr);
  return [problem, ...walls, ...(printed === '' ? [] : [`It printed: ${printed}`])].join(' ');
}

/** Line with such a word among its first two, as in "Error: No such file" and "npm error code E404". */
const errorLine = /^\[?(?:[\w.:-]+ )?[\w.]*(?:error|exception|fatal|panic)/i;

/** Returns the first line that names an error, without the stack around it; else the last line. */
function causeIn(printed: string): string {
  const lines = printed.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.find((line) => errorLine.test(line)) ?? lines.at(-1) ?? '';
}

/** The library reports an address that cannot be reached as "fetch failed", with the reason as the cause. */
function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message, cause } = error;
  if (/[.!?]$/.test(message)) return message;
  const { message: detail = '', code = '' } = cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  return `${[message, detail || code].filter((part) => part !== '').join(': ')}.`;
}
