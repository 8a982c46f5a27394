const longestLine = 65_536;

/**
 * Turns what a program wrote, line by line, into what a reader would see in the end: of a line that was overwritten by
 * carriage returns the last state, backspaces applied, line ends as single line feeds.
 */
export class ScreenText {
  #line = '';

  /** The lines that `text` completes. A line longer than 64 Ki is let go in parts. */
  push(text: string): string {
    const all = this.#line + text;
    const end = all.lastIndexOf('\n') + 1;
    this.#line = lastState(all.slice(end));
    if (this.#line.length <= longestLine) return renderLines(all.slice(0, end));
    return renderLines(all.slice(0, end)) + this.takeLine();
  }

  /** The line that has not ended yet; what follows starts a new one. */
  takeLine(): string {
    const line = renderLine(this.#line);
    this.#line = '';
    return line;
  }

  get isEmpty(): boolean {
    return this.#line === '';
  }
}

function renderLines(lines: string): string {
  // A terminal ends every line with a return, so that most have this one alone.
  const unix = lines.replaceAll('\r\n', '\n');
  if (!unix.includes('\r') && !unix.includes('\b')) return unix;
  return unix.split('\n').map(renderLine).join('\n');
}

function renderLine(line: string): string {
  const last = lastState(line).replaceAll('\r', '');
  return last.includes('\b') ? withoutBackspaces(last) : last;
}

/** Drops what carriage returns have overwritten; returns at the end overwrite nothing yet. */
function lastState(line: string): string {
  if (!line.includes('\r')) return line;
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(line.lastIndexOf('\r', end - 1) + 1);
}

function withoutBackspaces(line: string): string {
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
