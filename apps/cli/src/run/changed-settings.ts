import type { Conversation } from '@varve/agent';

/** Returns the line that names the settings next to a log which differ from it; none if they are the same. */
export function changedSettings({
  id,
  metaDifferences,
}: Pick<Conversation, 'id' | 'metaDifferences'>): readonly string[] {
  if (metaDifferences.length === 0) return [];
  const names = metaDifferences.map(({ setting }) => setting).join(', ');
  return [`What is stored next to conversation ${id} differs from its log: ${names}. The log applies.`];
}
