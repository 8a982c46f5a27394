import xterm from '@xterm/headless';
import { svgOf } from './screen-svg.ts';

/** Size of a screen. */
export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Terminal without a window: what is written to it can be read as a person would see it. */
export function screen({ columns, rows }: ScreenSize) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 1000,
    convertEol: true,
  });
  const lines = (from: number): string =>
    Array.from({ length: terminal.buffer.active.length - from }, (_, index) =>
      terminal.buffer.active
        .getLine(from + index)
        ?.translateToString(true)
        .trimEnd(),
    )
      .join('\n')
      .trimEnd();
  return {
    /** Draws a text, and then calls back. */
    write: (data: string, drawn?: () => void) => terminal.write(data, drawn),
    /** Waits until everything that was written is on the screen. */
    drawn: async () => new Promise<void>((resolve) => terminal.write('', resolve)),
    /** Rows of the window. */
    text: () => lines(terminal.buffer.active.baseY),
    /** Rows of the window as a picture. */
    svg: () => {
      const { active } = terminal.buffer;
      const count = lines(active.baseY).split('\n').length;
      const drawn = Array.from({ length: count }, (_, index) => active.getLine(active.baseY + index) ?? []);
      return svgOf({ columns, lines: drawn.flat() });
    },
    /** Rows of the window and of what was scrolled out of it. */
    history: () => lines(0),
  };
}
