import type { Readable } from 'node:stream';
import { styleText } from 'node:util';

/** The streams and the environment of one invocation: commands access the process only through it. */
export interface TerminalIo {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
}

/** Styles of a text. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

/** Styles a text for an output (default stderr): only on a terminal, and never with NO_COLOR. */
export function styled(io: TerminalIo, style: Style, text: string, output = io.stderr): string {
  return output.isTTY && !io.env['NO_COLOR'] ? styleText(style, text, { validateStream: false }) : text;
}
