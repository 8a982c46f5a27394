/** History of one conversation, as its clients, its commands and its log show it. */
export interface ConversationHistory {
  readonly id: string;
  /** Texts of messages whose storage was acknowledged. */
  readonly acknowledged: readonly string[];
  /** Texts of messages whose requests failed: they may be stored. */
  readonly unknown: readonly string[];
  /** Ids of the events that a client received by sockets, in order. */
  readonly seen: readonly string[];
  /** Steps whose commands ran, in order. */
  readonly effects: readonly number[];
  /** Status at the end. */
  readonly status: string;
  /** Problem of the seals, which prove that there was one writer; `undefined` without one. */
  readonly proof: string | undefined;
  /** Events of the log that clients may receive, in order. */
  readonly log: readonly { readonly id: string; readonly text: string }[];
}

/** Returns a sentence for everything that a history must not contain. */
export function violationsOf(history: ConversationHistory): readonly string[] {
  const { id, acknowledged, unknown, seen, effects, status, proof, log } = history;
  const count = (text: string): number => log.filter((event) => event.text.includes(JSON.stringify(text))).length;
  const ids = log.map((event) => event.id);
  return [
    ...acknowledged.filter((text) => count(text) === 0).map((text) => `the acknowledged message ${text} is lost`),
    ...[...acknowledged, ...unknown].filter((text) => count(text) > 1).map((text) => `the message ${text} is repeated`),
    ...repeated(effects).map((step) => `the command of step ${step} ran twice`),
    ...(isAscending(effects) ? [] : [`the commands ran in the order ${effects.join(', ')}`]),
    ...repeated(seen).map((event) => `a client received event ${event} twice`),
    ...ids.flatMap((event, at) =>
      seen.includes(event) ? [] : [`a client did not receive event ${event}, at ${at + 1} of ${ids.length}`],
    ),
    ...(isSameOrder(seen, ids) ? [] : ['a client received events in another order, or some that are not stored']),
    ...(status === 'finished' ? [] : [`it ended with the status ${status}`]),
    ...(proof === undefined ? [] : [proof]),
  ].map((sentence) => `${id}: ${sentence}.`);
}

function repeated<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Set(items.filter((item, at) => items.indexOf(item) < at))];
}

function isAscending(steps: readonly number[]): boolean {
  return steps.every((step, at) => at === 0 || step >= (steps[at - 1] ?? 0));
}

/** Returns true if the received events are stored, and in their order, apart from repetitions. */
function isSameOrder(seen: readonly string[], ids: readonly string[]): boolean {
  const places = [...new Set(seen)].map((event) => ids.indexOf(event));
  return !places.includes(-1) && isAscending(places);
}
