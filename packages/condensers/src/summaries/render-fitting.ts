import type { BaseEvent } from '@varve/events';
import { renderEvents, type RenderOptions } from './render-events.ts';

/** Options of {@link renderFitting}. */
export interface FittingOptions extends RenderOptions {
  /** Maximum length of the text, in UTF-16 units; a line about omitted events may exceed it. */
  readonly maxLength: number;
}

/** Shortest length to which the texts in events are cut before the rendering itself is. */
const minTextLength = 200;

/**
 * Renders events as data for a model, as far as they fit: long texts are cut first, then the oldest lines. One JSON
 * object per line, oldest first; no text in an event can end its line or close a tag. System prompts and summaries are
 * not rendered.
 */
export function renderFitting(events: readonly BaseEvent[], { maxLength, maxTextLength }: FittingOptions): string {
  for (let length = maxTextLength; ; length = Math.floor(length / 2)) {
    const rendered = renderEvents(events, { maxTextLength: length });
    if (rendered.length <= maxLength) return rendered;
    if (length <= minTextLength) return lastLines(rendered, maxLength);
  }
}

function lastLines(rendered: string, maxLength: number): string {
  const lines = rendered.split('\n');
  let left = maxLength;
  let start = lines.length;
  while (start > 0 && left >= (lines[start - 1]?.length ?? 0) + 1) left -= (lines[--start]?.length ?? 0) + 1;
  return [`(${start} older events do not fit here)`, ...lines.slice(start)].join('\n');
}
