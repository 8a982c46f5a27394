import type { TerminalIo } from './terminal-io.ts';

/** Asks at a terminal, and returns true for `y` and `yes`. */
export async function confirms(question: string, io: Pick<TerminalIo, 'ask'>): Promise<boolean> {
  const answer = await io.ask(`${question} [y/N]: `, new AbortController().signal);
  return answer !== undefined && /^y(?:es)?$/i.test(answer.trim());
}
