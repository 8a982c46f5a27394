/** A word that does not belong in plain engineering English, and the words to use instead. */
interface OddWord {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Phrases that no reader of the field searches for, in comments, documents, messages and test titles. */
const oddPhrases: readonly OddWord[] = [
  { pattern: /\b(?:tells?|told|telling)\b/gi, instead: 'report, return, notify, describe, distinguish' },
  { pattern: /\b(?:says?|said|saying)\b/gi, instead: 'state, contain, specify, report' },
  { pattern: /\b(?:somebody|someone|whoever|nobody|anybody|everybody)\b/gi, instead: 'the caller, another process' },
  { pattern: /\b(?:lies|lie|lay|stands|stood)\b/gi, instead: 'is, is stored, follows' },
  { pattern: /\b(?:besides?|behind)\b/gi, instead: 'next to, alongside, after, deferred' },
  { pattern: /\bgives? (?:back|up|what|the|a|an|one)\b/gi, instead: 'return' },
  { pattern: /\b(?:go|goes|going|gone|went) on\b/gi, instead: 'continue, resume' },
  { pattern: /\b(?:under way|anew|meanwhile)\b/gi, instead: 'running, in progress, again, concurrently' },
  { pattern: /\b(?:carry|carries|carried|carrying) (?:it |them )?out\b/gi, instead: 'execute, run' },
  { pattern: /\b(?:mend|mends|mended|mending|puts? right)\b/gi, instead: 'fix, repair, correct' },
  { pattern: /\b(?:take|takes|taken|took|taking)s? up\b/gi, instead: 'resume' },
  { pattern: /\b(?:is none|that are none)\b/gi, instead: 'is invalid, is missing' },
  { pattern: /\b(?:so many|so long|so much)\b/gi, instead: 'N, this many' },
  { pattern: /\bat once\b/gi, instead: 'concurrently, immediately' },
  { pattern: /\b(?:thereby|thereof|therein|wherein|whence|hither|yonder|erelong)\b/gi, instead: 'plain words' },
];

/** Parts of identifiers with the same defect, in lower case. */
const oddParts = new Set(
  'tell tells told telling says said saying somebody whoever nobody anybody beside besides behind anew meanwhile mend mended mends lies stood'.split(
    ' ',
  ),
);

/** Words of a text, odd words among them, and a line number with each odd word. */
export interface WordCount {
  readonly words: number;
  readonly odd: readonly string[];
}

/** Counts the words and the odd phrases of the prose of a file: Markdown outside code blocks; comments and texts of code. */
export function proseWords(file: string, text: string): WordCount {
  const prose = file.endsWith('.md') ? outsideCodeBlocks(text) : `${comments(text)}\n${strings(text)}`;
  const odd = prose
    .split('\n')
    .flatMap((line, index) =>
      oddPhrases.flatMap(({ pattern, instead }) =>
        [...line.matchAll(pattern)].map(([word]) => `${file}:${(index % lineCount(text)) + 1}: "${word}" → ${instead}`),
      ),
    );
  return { words: (prose.match(/\b[A-Za-z']+\b/g) ?? []).length, odd };
}

/** Counts the parts of the identifiers of a source file (`emitDeferred` has two) and the odd ones among them. */
export function identifierWords(file: string, text: string): WordCount {
  const names = withoutComments(text)
    .split('\n')
    .map((line) => line.replaceAll(stringLiteral, "''"))
    .flatMap((line, index) =>
      (line.match(/[A-Za-z_$][\w$]*/g) ?? []).flatMap((name) =>
        (name.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? []).map((part) => ({ name, part, line: index + 1 })),
      ),
    );
  const odd = names.filter(({ part }) => oddParts.has(part.toLowerCase()));
  return { words: names.length, odd: odd.map(({ name, line }) => `${file}:${line}: ${name}`) };
}

/** Docstrings of a source file that start with an interrogative or a bare genitive, and the number of all docstrings. */
export function docstringStarts(text: string): { readonly all: number; readonly odd: readonly string[] } {
  const starts = [...text.matchAll(/\/\*\*\s*(?:\*\s*)?([A-Za-z]+)[^\n]*/g)];
  const odd = starts.filter(([, word = '']) => /^(?:What|Whether|How|Where|Which|Who|Of|Told)$/.test(word));
  return { all: starts.length, odd: odd.map(([start]) => start) };
}

/** Cells of the tables of a Markdown text that have more than `limit` characters. */
export function longCells(text: string, limit: number): readonly string[] {
  return outsideCodeBlocks(text)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cell) => cell.length > limit);
}

/** Numbers of the lines of comments that have more than `limit` columns; a lone address is allowed. */
export function longCommentLines(text: string, limit: number): readonly number[] {
  return comments(text)
    .split('\n')
    .flatMap((line, index) => (line !== '' && lineOf(text, index).length > limit ? [index + 1] : []))
    .filter((number) => !/https?:\/\/\S+\s*(?:\*\/)?$/.test(lineOf(text, number - 1)));
}

const stringLiteral = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g;

/** The comments of a source text, each on its own line number; other lines are empty. */
function comments(text: string): string {
  let inBlock = false;
  return text
    .split('\n')
    .map((line) => {
      const opens = /^\s*\/\*/.test(line);
      const isBlock = inBlock || opens;
      if (opens || inBlock) inBlock = !line.includes('*/');
      return isBlock ? line : (/(?:^|\s)\/\/ (.*)$/.exec(line)?.[1] ?? '');
    })
    .join('\n');
}

function withoutComments(text: string): string {
  const lines = comments(text).split('\n');
  return text
    .split('\n')
    .map((line, index) => (lines[index] === '' ? line : line.slice(0, Math.max(0, line.indexOf('//')))))
    .join('\n');
}

/** The string literals of a source text that hold more than one word, on their line numbers. */
function strings(text: string): string {
  return withoutComments(text)
    .split('\n')
    .map((line) => (line.match(stringLiteral) ?? []).filter((literal) => /[A-Za-z] [A-Za-z]/.test(literal)).join(' '))
    .join('\n');
}

function outsideCodeBlocks(text: string): string {
  return text.replaceAll(/```[\s\S]*?```/g, (block) => block.replaceAll(/[^\n]/g, ' '));
}

function lineCount(text: string): number {
  return text.split('\n').length;
}

function lineOf(text: string, index: number): string {
  return text.split('\n')[index] ?? '';
}
