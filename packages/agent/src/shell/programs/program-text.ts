/**
 * Reports whether an awk program may run a command or write a file: `system`, pipes, `getline`, redirected output.
 * Strings and regular expressions are skipped.
 */
export function awkRuns(program: string): boolean {
  let code = '';
  for (let at = 0; at < program.length; at++) {
    const char = program.charAt(at);
    const isRegex = char === '/' && !/[\w)\]$.]\s*$/.test(code.slice(-40));
    if (char !== '"' && !isRegex) {
      code += char;
      continue;
    }
    for (at++; at < program.length && program.charAt(at) !== char; at++) if (program.charAt(at) === '\\') at++;
    code += isRegex ? ' R ' : ' S ';
  }
  const statements = code.replaceAll(/#.*/g, '').replaceAll('||', ' or ');
  return /\bsystem\b|\bgetline\b|\||@/.test(statements) || statements.split(/[;}\n]/).some(redirectsOutput);
}

function redirectsOutput(statement: string): boolean {
  const print = statement.search(/\bprintf?\b/);
  return print >= 0 && statement.includes('>', print);
}

/** Start of a sed command: its addresses. No text matches in two ways, which would take exponential time. */
const addresses = /^(?:\s|;|[\d$,~+!{}]|\/(?:\\.|[^\\/])*\/[IM]*|\\([^\\\n])(?:\\.|(?!\1)[^\\\n])*\1[IM]*)*/;

/** Reports whether a sed program may run a command or write a file, or is not understood. */
export function sedRuns(program: string): boolean {
  let rest = program;
  for (;;) {
    rest = rest.slice(addresses.exec(rest)?.[0].length ?? 0);
    if (rest === '') return false;
    const command = rest.charAt(0);
    if (command === '#' || 'aic'.includes(command) || ':btT'.includes(command)) {
      rest = rest.replace(/^(?:[^\n\\]|\\[^])*\n?/, '');
    } else if (command === 's' || command === 'y') {
      const read = substitution(rest);
      if (!read || /[we]/.test(read.flags)) return true;
      rest = read.rest;
    } else if ('=dDgGhHlLnNpPqQxz'.includes(command)) rest = rest.slice(1).replace(/^\s*\d*/, '');
    else if (command === 'r' || command === 'R') rest = rest.replace(/^.*\n?/, '');
    else return true;
  }
}

function substitution(text: string): { readonly flags: string; readonly rest: string } | undefined {
  const mark = text.charAt(1);
  if (mark === '' || /[\s\\]/.test(mark)) return undefined;
  let at = 2;
  for (let parts = 0; parts < 2; parts++, at++) {
    while (at < text.length && text.charAt(at) !== mark) at += text.charAt(at) === '\\' ? 2 : 1;
    if (at >= text.length) return undefined;
  }
  const flags = /^[^;}\n]*/.exec(text.slice(at))?.[0] ?? '';
  return { flags, rest: text.slice(at + flags.length) };
}
