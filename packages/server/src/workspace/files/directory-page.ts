/** Page of names. */
export interface NamePage {
  readonly names: readonly string[];
  /** Id of the first name of the next page; null on the last one. */
  readonly nextPageId: string | null;
}

/**
 * Returns a page of sorted names. Its id is the lower-case name, as in the reference, or the exact name where several
 * differ by case only. An unknown id means the first page.
 */
export function directoryPage(names: readonly string[], pageId: string | undefined, limit: number): NamePage {
  const exact = pageId === undefined ? 0 : names.indexOf(pageId);
  const start =
    exact >= 0
      ? exact
      : Math.max(
          0,
          names.findIndex((name) => name.toLowerCase() === pageId),
        );
  const next = names[start + limit];
  return { names: names.slice(start, start + limit), nextPageId: next === undefined ? null : idOf(names, next) };
}

function idOf(names: readonly string[], name: string): string {
  const lower = name.toLowerCase();
  return names.filter((other) => other.toLowerCase() === lower).length > 1 ? name : lower;
}
