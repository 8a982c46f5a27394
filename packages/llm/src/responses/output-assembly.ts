import { lazy } from '@varve/events';
import type { Delta } from '../delta.ts';
import type { ReplySize } from '../protocol/protocol.ts';
import { outputItem, type OutputItem, type ResponseEvent } from './response-answer.ts';

/** Assembles the items of one reply. */
export interface OutputAssembly {
  readonly size: ReplySize;
  /** Adds a piece of an item and returns its deltas. */
  addPiece(event: ResponseEvent): readonly Delta[];
  /** Sets an item, started or complete, and returns deltas for the content that its pieces did not contain. */
  addItem(index: number, item: OutputItem): readonly Delta[];
  /** Returns the items in the order of their indexes. */
  items(): readonly OutputItem[];
  text(): string;
  reasoning(): string;
}

/** Separates two messages or two parts of reasoning. */
const separator = '\n\n';

interface OpenItem {
  item: OutputItem;
  /** Content in the deltas so far: text, or the text of the arguments. */
  emitted: string;
  /** Part of the reasoning that the last delta belongs to. */
  part: number;
  /** Index among the calls; -1 for other items. */
  readonly call: number;
  isAnnounced: boolean;
  /** Characters of the item in its last complete form. */
  length: number;
}

/** An item without content needs memory, too. */
const itemSize = 200;

const emptyItem = lazy(() => outputItem().parse({}));

/** Type of the item that the pieces of each event belong to. */
const pieces: ReadonlyMap<string, 'message' | 'reasoning' | 'function_call'> = new Map([
  ['response.output_text.delta', 'message'],
  ['response.refusal.delta', 'message'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'function_call'],
]);

/** Starts the assembly of one reply's items. */
export function outputAssembly(): OutputAssembly {
  const open = new Map<number, OpenItem>();
  const joined: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] };
  let calls = 0;
  let characters = 0;
  /** An item repeats the content of its pieces. */
  const measure = (item: OpenItem, length: number): void => {
    const before = Math.max(item.length, item.emitted.length);
    item.length = length;
    characters += Math.max(length, item.emitted.length) - before;
  };

  const itemAt = (index: number, item: OutputItem): OpenItem => {
    const known = open.get(index);
    if (known) return known;
    const call = item.type === 'function_call' ? calls++ : -1;
    const begun: OpenItem = { item, emitted: '', part: 0, call, isAnnounced: false, length: 0 };
    open.set(index, begun);
    characters += itemSize;
    return begun;
  };
  const addText = (item: OpenItem, kind: 'text' | 'reasoning', added: string, part = 0): readonly Delta[] => {
    if (added === '') return [];
    const isSeparate = joined[kind].length > 0 && (item.emitted === '' || part !== item.part);
    const text = isSeparate ? separator + added : added;
    item.part = part;
    item.emitted += added;
    joined[kind].push(text);
    return [{ kind, text }];
  };
  return {
    get size() {
      return { characters, calls };
    },
    addPiece({ type, delta, output_index: index, summary_index: part }) {
      const kind = pieces.get(type);
      if (!kind) return [];
      characters += delta.length;
      const item = itemAt(index, { ...emptyItem(), type: kind });
      if (kind === 'function_call') return addArguments(item, delta);
      return kind === 'message' ? addText(item, 'text', delta) : addText(item, 'reasoning', delta, part);
    },
    addItem(index, item) {
      const openItem = itemAt(index, item);
      openItem.item = item;
      measure(openItem, JSON.stringify(item).length);
      if (item.type === 'function_call') return addArguments(openItem, unsent(openItem, item.arguments));
      if (item.type === 'message') return addText(openItem, 'text', unsent(openItem, textOfItem(item)));
      if (item.type !== 'reasoning' || openItem.emitted !== '') return [];
      return thoughtsIn(item).flatMap((thought, part) => addText(openItem, 'reasoning', thought, part));
    },
    items: () => [...open].toSorted(([a], [b]) => a - b).map(([, item]) => completeItem(item)),
    text: () => joined.text.join(''),
    reasoning: () => joined.reasoning.join(''),
  };
}

/** Emits nothing before the name is known; the first delta of a call contains it. */
function addArguments(item: OpenItem, json: string): readonly Delta[] {
  const { name } = item.item;
  if (name === '' || (json === '' && item.isAnnounced)) return [];
  const head = item.isAnnounced ? {} : { name };
  item.isAnnounced = true;
  item.emitted += json;
  return [{ kind: 'tool-call', index: item.call, ...head, arguments: json }];
}

function unsent({ emitted }: OpenItem, whole: string): string {
  return whole.startsWith(emitted) ? whole.slice(emitted.length) : '';
}

/** Fills in the arguments of a call whose `done` event is missing. */
function completeItem({ item, emitted }: OpenItem): OutputItem {
  return item.type === 'function_call' && item.arguments === '' ? { ...item, arguments: emitted } : item;
}

/** Returns the text of a message item. A refusal is text of the model. */
export function textOfItem({ content }: OutputItem): string {
  return content.map(({ text, refusal }) => text || refusal).join('');
}

function thoughtsIn({ summary, content }: OutputItem): readonly string[] {
  return (summary.length > 0 ? summary : content).map(({ text }) => text);
}
