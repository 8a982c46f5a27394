import { isName, root, type Head, type Link } from './head.ts';

/** The seqs of the events from the root to `head`, given every link of a log up to it, oldest first. */
export function branchOf(links: readonly Pick<Link, 'seq' | 'id' | 'parentId'>[], head: Head): ReadonlySet<number> {
  const parents: number[] = [];
  const seqs = new Map<string, number>();
  let leaf = -1;
  for (const { seq, id, parentId } of links) {
    parents.push(parentId === undefined ? seq - 1 : (seqs.get(parentId) ?? -1));
    if (isName(id)) seqs.set(id, seq);
    if (head.isAt({ seq, id })) leaf = seq;
  }
  const branch = new Set<number>();
  for (let seq = head.id === root ? -1 : leaf; seq >= 0; seq = parents[seq] ?? -1) branch.add(seq);
  return branch;
}
