import { ToolError } from '../contract/error.ts';
import type { JsonLimits } from '@varve/text';

/** Maximum size of one message, in bytes after decompression. */
export const maxMessageBytes = 10 * 1024 * 1024;

/**
 * Limits of the JSON of one message: parsed values need many times the memory of their text, and the client needs about
 * 20 µs for each block of a result that it rejects.
 */
export const messageJson: JsonLimits = { depth: 200, values: 100_000 };

/** Most bytes of all messages of a server until it has listed its tools. */
const maxStartBytes = 2 * maxMessageBytes;

/** Counts what a server sends while it is started: a list of tools may have many pages. */
export class StartBudget {
  #left = maxStartBytes;

  /** @throws {ToolError} `unusable` for a server that sends too much. */
  take(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0)
      throw new ToolError('unusable', `It sent more than ${maxStartBytes} bytes before its tools were listed.`);
  }

  /** Limits the messages while the tools are listed again. */
  start(): void {
    this.#left = maxStartBytes;
  }

  /** Ends the start: the messages that follow are limited one by one. */
  end(): void {
    this.#left = Infinity;
  }
}

/** @returns the error of a message that exceeds a limit. */
export function messageOverLimit(limit: 'bytes' | keyof JsonLimits): ToolError {
  const [max, unit] = {
    bytes: [maxMessageBytes, 'bytes'],
    depth: [messageJson.depth, 'levels of JSON'],
    values: [messageJson.values, 'values'],
  }[limit] as [number, string];
  return new ToolError('unusable', `A message has more than ${max} ${unit}.`);
}
