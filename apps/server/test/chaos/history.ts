import type { RecordedAppend } from './appends.ts';

/** History of one conversation, as its clients, its commands, its database and its log show it. */
export interface ConversationHistory {
  readonly id: string;
  /** Texts of messages whose storage was acknowledged. */
  readonly acknowledged: readonly string[];
  /** Texts of messages whose requests failed: they may be stored. */
  readonly unknown: readonly string[];
  /** Ids of the events that a client received by sockets, in order. */
  readonly seen: readonly string[];
  /** Commands of the log, in order. */
  readonly commands: readonly LoggedCommand[];
  /** Steps whose commands ran, in order. */
  readonly effects: readonly number[];
  /** Appends of the log, in its order. */
  readonly appends: readonly RecordedAppend[];
  /** Failures of runs in the log, which a person would have to continue. */
  readonly failures: readonly string[];
  /** Status at the end. */
  readonly status: string;
  /** Problem of the seals; `undefined` without one. */
  readonly proof: string | undefined;
  /** Events of the log that clients may receive, in order. */
  readonly log: readonly { readonly id: string; readonly text: string }[];
}

/** A command and what the log contains about its end. */
export interface LoggedCommand {
  readonly step: number;
  /** True if it succeeded; false if its outcome is unknown. */
  readonly isDone: boolean;
}

/** Returns a sentence for everything that a history must not contain. */
export function violationsOf(history: ConversationHistory): readonly string[] {
  const { id, acknowledged, unknown, failures, status, proof, log } = history;
  const count = (text: string): number => log.filter((event) => event.text.includes(JSON.stringify(text))).length;
  return [
    ...acknowledged.filter((text) => count(text) === 0).map((text) => `the acknowledged message ${text} is lost`),
    ...[...acknowledged, ...unknown].filter((text) => count(text) > 1).map((text) => `the message ${text} is repeated`),
    ...effectProblems(history),
    ...socketProblems(history),
    ...writerProblems(history),
    ...failures.map((failure) => `a run failed: ${failure}`),
    ...(status === 'finished' ? [] : [`it ended with the status ${status}`]),
    ...(proof === undefined ? [] : [proof]),
  ].map((sentence) => `${id}: ${sentence}.`);
}

/** A command of the log ran once if it is done, at most once otherwise; nothing else ran, and all in their order. */
function effectProblems({ commands, effects }: ConversationHistory): readonly string[] {
  const steps = new Set(commands.map(({ step }) => step));
  const missing = commands.filter(({ step, isDone }) => isDone && !effects.includes(step));
  return [
    ...repeated(commands.map(({ step }) => step)).map((step) => `the command of step ${step} is in the log twice`),
    ...repeated(effects).map((step) => `the command of step ${step} ran twice`),
    ...effects.filter((step) => !steps.has(step)).map((step) => `the command of step ${step} ran without a log of it`),
    ...missing.map(({ step }) => `the command of step ${step} has a result, and did not run`),
    ...(isAscending(effects) ? [] : [`the commands ran in the order ${effects.join(', ')}`]),
  ];
}

function socketProblems({ seen, log }: ConversationHistory): readonly string[] {
  const ids = log.map((event) => event.id);
  return [
    ...repeated(seen).map((event) => `a client received event ${event} twice`),
    ...ids.flatMap((event, at) =>
      seen.includes(event) ? [] : [`a client did not receive event ${event}, at ${at + 1} of ${ids.length}`],
    ),
    ...(isSameOrder(seen, ids) ? [] : ['a client received events in another order, or some that are not stored']),
  ];
}

/** An epoch has one writer, and the events of the next one follow its events. */
function writerProblems({ appends }: ConversationHistory): readonly string[] {
  const epochs = appends.map(({ epoch }) => epoch);
  const writers = Map.groupBy(appends, ({ epoch }) => epoch);
  return [
    ...[...writers].flatMap(([epoch, of]) => {
      const names = new Set(of.map(({ writer }) => writer));
      return names.size > 1 ? [`epoch ${epoch} has the writers ${[...names].join(', ')}`] : [];
    }),
    ...(isAscending(epochs) ? [] : [`the events have the epochs ${[...new Set(epochs)].join(', ')}`]),
  ];
}

interface CommandJson {
  readonly action?: { readonly command?: string } | null;
  readonly action_id?: string;
  readonly observation?: { readonly metadata?: { readonly exit_code?: number } };
}

/** Returns the commands of the events of a log. */
export function commandsOf(
  events: readonly { readonly id: string; readonly kind: string; readonly text: string }[],
): readonly LoggedCommand[] {
  const json = events
    .filter(({ kind }) => ['ActionEvent', 'ObservationEvent'].includes(kind))
    .map(({ id, text }) => ({ id, ...(JSON.parse(text) as CommandJson) }));
  const done = new Set(json.filter((event) => event.observation?.metadata?.exit_code === 0).map((e) => e.action_id));
  return json.flatMap(({ id, action }) => {
    const step = /^echo (\d+) >>/.exec(action?.command ?? '')?.[1];
    return step === undefined ? [] : [{ step: Number(step), isDone: done.has(id) }];
  });
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
