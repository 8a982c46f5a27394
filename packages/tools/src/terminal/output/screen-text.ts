const maxLineChars = 65_536;

/**
 * Converts the output of a program to the text that a terminal would finally show: the last state of a line overwritten
 * with carriage returns, backspaces applied, line ends as single line feeds.
 */
export class ScreenText {
  #line = '';

  /** Returns the lines that `text` completes. A line longer than 64 Ki is returned in parts. */
  push(text: string): string {
    const all = this.#line + text;
    const end = all.lastIndexOf('\n') + 1;
    this.#line = lastState(all.slice(end));
    if (this.#line.length <= maxLineChars) return renderLines(all.slice(0, end));
    return renderLines(all.slice(0, end)) + this.takeLine();
  }

  /** Returns the incomplete line; text pushed later starts a new one. */
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
  // A terminal ends every line with a carriage return, and most lines have no other.
  const unix = lines.replaceAll('\r\n', '\n');
  if (!unix.includes('\r') && !unix.includes('\b')) return unix;
  return unix.split('\n').map(renderLine).join('\n');
}

function renderLine(line: string): string {
  const last = lastState(line).replaceAll('\r', '');
  return last.includes('\b') ? withoutBackspaces(last) : last;
}

/** Drops text that a carriage return has overwritten; trailing carriage returns have overwritten nothing yet. */
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
