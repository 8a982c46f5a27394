import type { EventStore, Summary } from '@varve/storage';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { age } from './formats.ts';
import { metaFields } from './meta-fields.ts';

/** Conversations that are offered. */
const offered = 500;

/** Items of which one is chosen. */
export interface ConversationChoice {
  readonly title: string;
  readonly items: readonly { readonly value: string; readonly label: string; readonly description: string }[];
}

/** Asks for a conversation, those of the current directory first; undefined if the person chooses none. */
export async function chooseConversation(
  store: EventStore,
  io: TerminalIo,
  choose: (choice: ConversationChoice) => Promise<string | undefined>,
): Promise<string | undefined> {
  const { items } = await store.list({ limit: offered });
  const isHere = ({ meta }: Summary): boolean => metaFields(meta).workspace === io.cwd;
  const now = Date.now();
  const ordered = [...items.filter(isHere), ...items.filter((item) => !isHere(item))];
  return choose({
    title: 'Conversation to continue',
    items: ordered.map(({ id, updatedAt, meta }) => {
      const { title, workspace, model } = metaFields(meta);
      const description = [age(updatedAt, now), model, workspace].filter((part) => part !== '').join(' · ');
      return { value: id, label: title === '' ? id.slice(0, 8) : title, description };
    }),
  });
}

/** Returns the id of the most recently updated conversation of a directory; undefined if it has none. */
export async function lastConversation(store: EventStore, directory: string): Promise<string | undefined> {
  for (let after: string | undefined; ;) {
    const { items, next } = await store.list({ limit: 1000, ...(after !== undefined && { after }) });
    const item = items.find(({ meta }) => metaFields(meta).workspace === directory);
    if (item || next === undefined) return item?.id;
    after = next;
  }
}
