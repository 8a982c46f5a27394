import type { Server } from '../../src/server.ts';

/** Key of test servers. */
export const testKey = 'key-of-the-tests';

/** Sends a request for a path, with the key. */
export function get(server: Server, path: string): Promise<Response> {
  return server.request(path, { headers: { 'X-Session-API-Key': testKey } });
}

/** Response of a search. */
export interface TestPage<Item> {
  readonly items: readonly Item[];
  readonly next_page_id: string | null;
}

/** Returns every item of a search, page by page. */
export async function everyItem<Item>(server: Server, path: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  let next: string | null = '';
  while (next !== null) {
    const pageId: string = next === '' ? '' : `${path.includes('?') ? '&' : '?'}page_id=${encodeURIComponent(next)}`;
    const page = (await (await get(server, path + pageId)).json()) as TestPage<Item>;
    items.push(...page.items);
    next = page.next_page_id;
  }
  return items;
}

/** Sends a request with the key and, unless undefined, a JSON body. */
export function send(server: Server, method: string, path: string, body?: unknown): Promise<Response> {
  return server.request(path, {
    method,
    headers: { 'X-Session-API-Key': testKey, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}
