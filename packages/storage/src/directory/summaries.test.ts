import { expect, test } from 'vitest';
import { volatileFiles } from '../../test/volatile-files.ts';
import { parseListQuery } from '../kit/listing.ts';
import { listSummaries } from './summaries.ts';

test.for([
  ['ascending', ['a', 'c', 'b']],
  ['descending', ['c', 'a']],
] as const)(
  'the next page has the conversations that did not change while a page was read, once, %s',
  async ([direction, ids]) => {
    const files = volatileFiles();
    for (const [n, id] of ['a', 'b', 'c'].entries()) {
      files.makeDirectories(`/srv/${id}/events`);
      files.setModifiedTime(`/srv/${id}/events`, BigInt(n + 1) * 1_000_000n);
    }
    const changing = {
      ...files,
      read(path: string) {
        if (!path.startsWith('/srv/b/')) files.setModifiedTime('/srv/b/events', 9_000_000n);
        return files.read(path);
      },
    };
    const listed: string[] = [];
    let next: string | undefined;
    do {
      const query = parseListQuery({ limit: 1, direction, ...(next !== undefined && { after: next }) });
      const page = await listSummaries(changing, '/srv', query);
      listed.push(...page.items.map(({ id }) => id));
      ({ next } = page);
    } while (next !== undefined && listed.length < 9);
    expect(listed).toEqual(ids);
  },
);
