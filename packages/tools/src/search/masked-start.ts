import type { Redactor } from '@varve/text';

/** Options of {@link maskedStart}. */
export interface MaskedStartOptions {
  readonly redactor: Pick<Redactor, 'stream'> | undefined;
  readonly maxChars: number;
  /** True if the text is itself the start of a longer one. */
  readonly isCut?: boolean;
}

/**
 * Returns the first characters of a text, and a mark if some are left out. Secrets are masked first; of a text that is
 * cut already, an end that may be the start of a secret is left out.
 */
export function maskedStart(text: string, { redactor, maxChars, isCut = false }: MaskedStartOptions): string {
  const stream = redactor?.stream();
  const start = stream === undefined ? text : stream.push(text);
  const masked = isCut ? start : start + (stream?.end() ?? '');
  return isCut || masked.length > maxChars ? `${masked.slice(0, maxChars).toWellFormed()}[…]` : masked;
}
