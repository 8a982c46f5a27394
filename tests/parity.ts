/** A feature of another system, as `docs/parity.json` lists it. */
export interface Feature {
  readonly id: string;
  readonly system: string;
  readonly subject: string;
  readonly title: string;
  /** `extension` is a promise that the other system does not make. */
  readonly state: 'yes' | 'partly' | 'planned' | 'not planned' | 'extension';
  /** Tests that prove it, as `file.test.ts: title`; without the folder, so that files can move. */
  readonly tests?: readonly string[];
  /** A change of the source that the tests notice: to try whether they prove the feature. */
  readonly change?: string;
  /** The part of the feature that varve does not have. */
  readonly missing?: string;
  /** The reason why what is missing is not planned. */
  readonly reason?: string;
  /** Limits and names that a reader needs. */
  readonly note?: string;
}

/** The states of a feature, in the order of the columns of the page. */
export const states = ['yes', 'partly', 'planned', 'not planned', 'extension'] as const;

/** Renders the page of all features: a table of counts, and what is missing by subject. */
export function parityPage(features: readonly Feature[]): string {
  const subjects = [...Map.groupBy(features, ({ system, subject }) => `${system}: ${subject}`)];
  const rows = subjects.map(([name, ofSubject]) => [name, ...counts(ofSubject)]);
  const missing = subjects.flatMap(([name, ofSubject]) => missingOf(name, ofSubject));
  return [
    '# Parity with other systems',
    'The features of the systems whose formats and behaviour varve implements, counted by subject. `partly` has less than its title\n' +
      'names; `extension` is a promise that the other system does not make. This page is written from [parity.json](parity.json), which\n' +
      'names each feature, its tests, what is missing and why: change it there, then run `pnpm test tests/parity -u`.',
    table([['subject', ...states], ...rows, ['all', ...counts(features)]]),
    '## What is missing',
    `Features that are partly present or planned. The reasons for the others are in the data.`,
    missing.join('\n'),
  ]
    .join('\n\n')
    .concat('\n');
}

/** Returns the number of features in each state. */
function counts(features: readonly Feature[]): readonly string[] {
  return states.map((state) => String(features.filter((feature) => feature.state === state).length));
}

/** One item of a list that names what the features of a subject lack, or nothing. */
function missingOf(name: string, features: readonly Feature[]): readonly string[] {
  const open = features.filter(({ state }) => state === 'partly' || state === 'planned');
  if (open.length === 0) return [];
  const parts = open.map(({ id, missing }) => `${missing ?? ''} (${id})`);
  return wrapped(`**${name}**: ${parts.join('; ')}.`).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
}

/** Divides a text into lines of at most 130 characters. */
function wrapped(text: string): readonly string[] {
  return text.split(' ').reduce<readonly string[]>((lines, word) => {
    const last = lines.at(-1);
    return last !== undefined && last.length + word.length < 130
      ? [...lines.slice(0, -1), `${last} ${word}`]
      : [...lines, word];
  }, []);
}

/** A Markdown table with columns of equal width. */
function table([head = [], ...body]: readonly (readonly string[])[]): string {
  const widths = head.map((name, column) => Math.max(name.length, ...body.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}
