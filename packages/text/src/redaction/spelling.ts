import type { Gap } from './gap.ts';

/** The ways to write one part of a secret. No form follows one that is its own beginning. */
export type Forms = readonly string[];

/** One way to write a secret: a sequence of parts, each written in one of its forms. */
export interface Spelling {
  readonly parts: readonly Forms[];
  /** What may separate the parts; nothing when absent. */
  readonly gap?: Gap;
  /** Part of each text that is this spelling and no other one; without it the others are enough. */
  readonly mark?: string;
}

/**
 * Returns the end of a spelling from its part number `first` on, which starts at `start`; undefined where the text is
 * something else. Takes the first form that matches and never goes back, so its time is bounded by the spelling's
 * length.
 */
export function endOfSpelling(text: string, start: number, spelling: Spelling, first = 0): number | undefined {
  const { parts, gap } = spelling;
  let at = start;
  for (let index = first; index < parts.length; index += 1) {
    if (gap && index > first) at = gap.after(text, at);
    const form = formAt(text, at, parts[index] ?? []);
    if (form === undefined) return undefined;
    at += form.length;
  }
  return at;
}

/** Returns the start of a spelling whose part number `index` starts at `at`; undefined if other text precedes it. */
export function startOfSpelling(text: string, at: number, { parts, gap }: Spelling, index: number): number | undefined {
  let start = at;
  for (let part = index - 1; part >= 0; part -= 1) {
    const end = gap ? gap.before(text, start) : start;
    const form = (parts[part] ?? []).find((one) => text.endsWith(one, end));
    if (form === undefined) return undefined;
    start = end - form.length;
  }
  return start;
}

/** Tests whether a spelling starts at `start` that more text could complete or lengthen. */
export function isUnfinished(text: string, start: number, { parts, gap }: Spelling): boolean {
  let at = start;
  for (const [index, forms] of parts.entries()) {
    if (gap && index > 0) {
      const rest = text.slice(at, at + gap.longest + 1);
      if (gap.isHalf(rest)) return true;
      at = gap.after(text, at);
    }
    if (forms.some((form) => form.length > text.length - at && form.startsWith(text.slice(at)))) return true;
    const form = formAt(text, at, forms);
    if (form === undefined) return false;
    at += form.length;
  }
  return gap?.tail?.isOpen(text, start, at) ?? false;
}

/** Returns the most UTF-16 units that a spelling can have. */
export function longestLength({ parts, gap }: Spelling): number {
  const length = parts.reduce((sum, forms) => sum + Math.max(...forms.map((form) => form.length)), 0);
  return gap ? length + Math.ceil(parts.length / gap.every) * gap.longest : length;
}

function formAt(text: string, at: number, forms: Forms): string | undefined {
  for (const form of forms) if (text.startsWith(form, at)) return form;
  return undefined;
}
