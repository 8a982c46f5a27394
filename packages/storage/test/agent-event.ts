import type { NewEvent } from '../src/contract/log.ts';

/** Returns event `n` of a log as an agent appends it: with a UUID, compact JSON and the previous event as parent. */
export function agentEvent(n: number, { kind = 'MessageEvent' }: { readonly kind?: string } = {}): NewEvent {
  const parentId = n === 0 ? undefined : idOf(n - 1);
  const parent = parentId === undefined ? {} : { parent_id: parentId };
  const body = { id: idOf(n), timestamp: `2026-01-01T00:00:00.${`${n}`.padStart(6, '0')}`, source: 'user', ...parent };
  return { id: idOf(n), kind, parentId, text: JSON.stringify({ ...body, n, kind }) };
}

function idOf(n: number): string {
  return `${n.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
}
