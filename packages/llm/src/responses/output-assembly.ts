import type { Delta } from '../delta.ts';
import type { OutputItem, ResponseEvent } from './response-answer.ts';

/** Collects the items of one reply. */
export interface OutputAssembly {
  /** A piece of an item under way; returns the deltas to hand out. */
  addPiece(event: ResponseEvent): readonly Delta[];
  /** An item at its place, begun or whole; whatever its pieces have not told yet is in the deltas. */
  addItem(place: number, item: OutputItem): readonly Delta[];
  /** In the order of their places. */
  items(): readonly OutputItem[];
  text(): string;
  reasoning(): string;
}

/** Between two messages or two parts of reasoning. */
const gap = '\n\n';

interface OpenItem {
  item: OutputItem;
  /** What was handed out of it: words, or the text of the arguments. */
  told: string;
  /** The part of its reasoning that was handed out last. */
  part: number;
  /** Its number among the calls. */
  readonly call: number;
  isAnnounced: boolean;
}

const nothing: OutputItem = {
  type: '',
  id: '',
  call_id: '',
  name: '',
  arguments: '',
  content: [],
  summary: [],
  encrypted_content: '',
};

/** What the pieces of each event belong to. */
const pieces: Readonly<Record<string, 'message' | 'reasoning' | 'function_call'>> = {
  'response.output_text.delta': 'message',
  'response.refusal.delta': 'message',
  'response.reasoning_summary_text.delta': 'reasoning',
  'response.reasoning_text.delta': 'reasoning',
  'response.function_call_arguments.delta': 'function_call',
};

/** An empty collection of items, to be filled from one reply. */
export function outputAssembly(): OutputAssembly {
  const open = new Map<number, OpenItem>();
  const said: Record<'text' | 'reasoning', string[]> = { text: [], reasoning: [] };
  let calls = 0;

  const at = (place: number, item: OutputItem): OpenItem => {
    const known = open.get(place);
    if (known) return known;
    const call = item.type === 'function_call' ? calls++ : -1;
    const begun: OpenItem = { item, told: '', part: 0, call, isAnnounced: false };
    open.set(place, begun);
    return begun;
  };
  const speak = (one: OpenItem, kind: 'text' | 'reasoning', words: string, part = 0): readonly Delta[] => {
    if (words === '') return [];
    const isApart = said[kind].length > 0 && (one.told === '' || part !== one.part);
    const text = isApart ? gap + words : words;
    one.part = part;
    one.told += words;
    said[kind].push(text);
    return [{ kind, text }];
  };
  return {
    addPiece({ type, delta, output_index: place, summary_index: part }) {
      const kind = pieces[type];
      if (!kind) return [];
      const one = at(place, { ...nothing, type: kind });
      if (kind === 'function_call') return addArguments(one, delta);
      return kind === 'message' ? speak(one, 'text', delta) : speak(one, 'reasoning', delta, part);
    },
    addItem(place, item) {
      const one = at(place, item);
      one.item = item;
      if (item.type === 'function_call') return addArguments(one, unsent(one, item.arguments));
      if (item.type === 'message') return speak(one, 'text', unsent(one, textOfItem(item)));
      if (item.type !== 'reasoning' || one.told !== '') return [];
      return thoughtsIn(item).flatMap((thought, part) => speak(one, 'reasoning', thought, part));
    },
    items: () => [...open].toSorted(([a], [b]) => a - b).map(([, one]) => completeItem(one)),
    text: () => said.text.join(''),
    reasoning: () => said.reasoning.join(''),
  };
}

/** Nothing is handed out before the name is known; it comes with the first piece. */
function addArguments(one: OpenItem, json: string): readonly Delta[] {
  const { name } = one.item;
  if (name === '' || (json === '' && one.isAnnounced)) return [];
  const head = one.isAnnounced ? {} : { name };
  one.isAnnounced = true;
  one.told += json;
  return [{ kind: 'tool-call', index: one.call, ...head, arguments: json }];
}

function unsent({ told }: OpenItem, whole: string): string {
  return whole.startsWith(told) ? whole.slice(told.length) : '';
}

/** A call whose item was never told to be done. */
function completeItem({ item, told }: OpenItem): OutputItem {
  return item.type === 'function_call' && item.arguments === '' ? { ...item, arguments: told } : item;
}

/** A refusal is the model's own words. */
export function textOfItem({ content }: OutputItem): string {
  return content.map(({ text, refusal }) => text || refusal).join('');
}

function thoughtsIn({ summary, content }: OutputItem): readonly string[] {
  return (summary.length > 0 ? summary : content).map(({ text }) => text);
}
