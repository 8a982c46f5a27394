import { MessageEvent } from '@varve/events/kinds';
import { expect, test } from 'vitest';
import { eventParts } from './event-parts.ts';
import { folded } from './folded.ts';
import { themeOf } from './theme.ts';
import { markdownPart } from './rows.ts';

const theme = themeOf(false, () => undefined);
const folding = { isOpen: true };
const text = 'go \u{1F44D}\u{1F3FD} and \u{1F469}\u200D\u{1F4BB} words '.repeat(8).trim();

/** Columns of a row on a terminal that draws each part of a sign as a sign of its own. */
function mostColumns(row: string): number {
  return Array.from(row).reduce((sum, sign) => sum + (sign === '\u200D' ? 0 : sign > '\u{1F000}' ? 2 : 1), 0);
}

const message = MessageEvent.create(
  { source: 'user', llm_message: { role: 'user', content: [{ type: 'text', text, cache_prompt: false }] } },
  { id: '00000001', timestamp: '2026-01-01T00:00:00.000000' },
);

test.for([
  ['a reply', [markdownPart(text, theme)]],
  ['a message', eventParts(message, { theme, folding, workspace: '' })],
  ['an output', [folded(text, { folding, head: 1, tail: 1, paint: (row) => row })]],
] as const)('rows of %s fit where joined signs are drawn one by one', ([, parts]) => {
  for (const width of [24, 41, 60]) {
    const rows = parts.flatMap((part) => part.render(width)).map((row) => row.trimEnd());
    expect(rows.join(' ').replaceAll(/[›\s]+/g, ' ')).toContain(text);
    expect(Math.max(...rows.map((row) => mostColumns(row)))).toBeLessThan(width);
    expect(rows.length).toBeLessThan(20);
  }
});
