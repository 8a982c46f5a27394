import { Markdown, type Component } from '@earendil-works/pi-tui';
import { safeText } from '@varve/events/text';
import { roomyRows } from './room-for-signs.ts';
import type { Theme } from './theme.ts';

/** Returns rows that depend on a width, and on what `keyOf` returns; by default on the width only. */
export function rowsPart(rows: (width: number) => string[], keyOf: (width: number) => string = String): Component {
  let cache: { readonly key: string; readonly rows: string[] } | undefined;
  return {
    invalidate: () => void (cache = undefined),
    render(width) {
      const key = keyOf(width);
      if (cache?.key !== key) cache = { key, rows: rows(width) };
      return cache.rows;
    },
  };
}

/** Returns a text that the model wrote as Markdown. */
export function markdownPart(text: string, { markdown }: Theme): Component {
  const safe = safeText(text.trim());
  const part = new Markdown(safe, 0, 0, markdown);
  return {
    invalidate: () => part.invalidate(),
    render: (width) => roomyRows(safe, width, (columns) => part.render(columns)),
  };
}
