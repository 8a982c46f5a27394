import { eventCodec, text, type BaseEvent } from '@varve/events';
import { ActionEvent, builtinKinds, Condensation, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { messageBuilder, Timeline, stateProjections } from '@varve/events/projections';
import type { Bench } from '../table.ts';

const codec = eventCodec(builtinKinds);
/** Number of events between condensations, which keep the view as small as in a real conversation. */
const period = 100;
const rounds = 15;

/** Records and projections: decoding compared with `JSON.parse`, and one more event in a short and in a long log. */
export const events: Bench = async () => {
  // The first log only warms up, so that both are measured with compiled code.
  const [, short = Number.NaN, long = Number.NaN] = [2000, 100, 100_000].map((length) => oneMore(length, period));
  const whole = [100, 10_000].map((length) => oneMore(length, Infinity));
  return {
    title: 'Records and projections',
    about: `µs, best rounds. Decoding checks every field. One more event: decoded, folded through every projection, and the messages of the next request made; a condensation every ${period} events.`,
    header: ['', 'base', 'varve', 'ratio'],
    rows: [
      ...Object.entries(samples()).map(([name, line]) => decoding(name, line)),
      growth('one more event, at 100 and at 100,000', [short, long]),
      growth('the same, nothing condensed, at 100 and at 10,000', whole),
    ],
  };
};

function growth(name: string, [before = Number.NaN, after = Number.NaN]: readonly number[]): readonly string[] {
  return [name, before.toFixed(2), after.toFixed(2), `${(after / before).toFixed(2)}×`];
}

/** Events of about 1 KiB each. */
function samples(): Readonly<Record<string, string>> {
  const sample = [userEvent(0, 'word '.repeat(130)), callEvent(1), resultEvent(1, 'x'.repeat(450))];
  return Object.fromEntries(
    sample.map((event) => {
      const line = codec.encode(event);
      return [`decode ${event.kind}, ${line.length} bytes`, line];
    }),
  );
}

function decoding(name: string, line: string): readonly string[] {
  const pairs = Array.from({ length: 100 }, () => [
    microseconds(() => JSON.parse(line)),
    microseconds(() => codec.decode(line)),
  ]);
  // The best, because other load on the machine only slows work down.
  const [parse, decode] = [0, 1].map((which) => Math.min(...pairs.map((pair) => pair[which] ?? Infinity)));
  if (parse === undefined || decode === undefined) return [];
  return [name, parse.toFixed(2), decode.toFixed(2), `${(decode / parse).toFixed(2)}×`];
}

function microseconds(work: () => unknown): number {
  const times = 1000;
  const start = performance.now();
  for (let time = 0; time < times; time++) work();
  return ((performance.now() - start) * 1000) / times;
}

/** Microseconds for one more event in a log of this length, over whole periods between condensations. */
function oneMore(length: number, every: number): number {
  const timeline = new Timeline({ codec, projections: stateProjections(codec) });
  const project = messageBuilder(codec);
  const lines = (from: number): readonly string[] =>
    Array.from({ length: period }, (_, index) => codec.encode(eventAt(from + index, every)));
  const grow = (line: string): void => void timeline.push(codec.decode(line), timeline.head);
  while (timeline.head < length) lines(timeline.head).forEach(grow);
  const times = Array.from({ length: rounds }, () => {
    const next = lines(timeline.head);
    const start = performance.now();
    for (const line of next) {
      grow(line);
      project(timeline.read('view').events);
    }
    return ((performance.now() - start) * 1000) / period;
  });
  return Math.min(...times);
}

const idOf = (seq: number): string => `00000000-0000-4000-8000-${seq.toString(16).padStart(12, '0')}`;
const stampOf = (seq: number) => ({ id: idOf(seq), timestamp: '2026-01-01T12:00:00.000000' });

/** Alternating calls and results; each period ends with a condensation of its events. */
function eventAt(seq: number, every: number): BaseEvent {
  if (seq % every === every - 1) return condensationOf(seq);
  return seq % 2 === 0 ? callEvent(seq) : resultEvent(seq, 'x'.repeat(200));
}

function userEvent(seq: number, message: string): BaseEvent {
  return MessageEvent.create(
    { source: 'user', llm_message: { role: 'user', content: [text(message)] } },
    { ...stampOf(seq), parent_id: idOf(seq + 1) },
  );
}

function callEvent(seq: number): BaseEvent {
  const command = `grep --recursive --line-number "${'pattern '.repeat(12)}" src`;
  const tool_call = {
    id: `call_${seq}`,
    name: 'terminal',
    arguments: JSON.stringify({ command }),
    origin: 'completion' as const,
  };
  return ActionEvent.create(
    {
      thought: [text('I look where this name is used before I change it, so that nothing breaks.')],
      action: TerminalAction.create({ command }),
      tool_name: 'terminal',
      tool_call_id: tool_call.id,
      tool_call,
      llm_response_id: `reply-${seq}`,
      summary: 'find uses of the name',
    },
    stampOf(seq),
  );
}

function resultEvent(seq: number, output: string): BaseEvent {
  return ObservationEvent.create(
    {
      tool_name: 'terminal',
      tool_call_id: `call_${seq - 1}`,
      action_id: idOf(seq - 1),
      observation: TerminalObservation.create({ content: [text(output)], command: 'grep', exit_code: 0 }),
    },
    stampOf(seq),
  );
}

function condensationOf(seq: number): BaseEvent {
  const forgotten = Array.from({ length: period - 1 }, (_, back) => idOf(seq - 1 - back));
  const before = seq >= period ? [`${idOf(seq - period)}-summary`] : [];
  return Condensation.create(
    {
      forgotten_event_ids: [...before, ...forgotten],
      summary: 'What was found so far.',
      summary_offset: 0,
      llm_response_id: 'c',
    },
    stampOf(seq),
  );
}
