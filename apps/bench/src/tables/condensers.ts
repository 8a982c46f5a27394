import { condenserFromSpec, condenserKinds, type CondenseContext, type Condenser } from '@varve/condensers';
import { eventCodec, text, type BaseEvent, type Json } from '@varve/events';
import { ActionEvent, builtinKinds, MessageEvent, ObservationEvent } from '@varve/events/kinds';
import { TerminalAction, TerminalObservation } from '@varve/events/payloads';
import { foldEvents, viewProjection, type View } from '@varve/events/projections';
import { readLogFile } from '../condensers/read-log-file.ts';
import { replayCondenser } from '../condensers/replay-condenser.ts';
import { StandInModel } from '../condensers/stand-in-model.ts';
import { median, type BenchOptions, type Table } from '../table.ts';

/** Lengths of the measured views in events. */
const sizes = [100, 1_000, 10_000] as const;
const rounds = 5;
/** Options for the kinds that need some, and those with which kinds without default limits act. */
const options: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  'rolling-window': { maxEvents: 240, windowShare: 0.7 },
  amortized: { maxEvents: 240, windowShare: 0.7 },
  recent: { maxEvents: 240, windowShare: 0.7 },
  'llm-attention': { maxEvents: 240, windowShare: 0.7 },
  'in-order': { condensers: [{ kind: 'observation-masking' }, { kind: 'llm-summary' }] },
};

/** Measures a condensation against the size of the view or, with a log, the effect of each condenser on it. */
export async function condensers({ replay, window = 64_000 }: BenchOptions = {}): Promise<Table> {
  return replay === undefined ? costs() : effects(replay, window);
}

function each(): readonly (readonly [string, Condenser])[] {
  return condenserKinds.map(({ kind }) => [kind, condenserFromSpec({ kind, ...options[kind] })]);
}

async function costs(): Promise<Table> {
  const views = sizes.map(viewOf);
  const rows: (readonly string[])[] = [];
  for (const [kind, condenser] of each()) {
    const times: string[] = [];
    for (const view of views) {
      for (const reason of ['check', 'demand'] as const) times.push((await timeOf(condenser, view, reason)).toFixed(2));
    }
    rows.push([kind, ...times]);
  }
  return {
    title: 'Condensers',
    about: `Own work in ms, the median of ${rounds} rounds; the model answers immediately. A demand condenses the view; a check only if it exceeds a limit, here of 240 events for the kinds that have one. Views of 100, 1,000 and 10,000 events, results of 1 kB.`,
    header: ['condenser', ...sizes.flatMap((size) => [`check ${size}`, `demand ${size}`])],
    rows,
  };
}

async function timeOf(condenser: Condenser, view: View, reason: CondenseContext['reason']): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const { call: callModel } = new StandInModel();
    const { signal } = new AbortController();
    const context = { signal, reason, callModel, tokens, maxInputTokens: 100_000_000, failures: 0 };
    const start = performance.now();
    await condenser.condense(view, context);
    // The first round only warms up.
    if (round > 0) times.push(performance.now() - start);
  }
  return median(times);
}

const tokens = {
  event: () => 250,
  request: (events: readonly BaseEvent[]) => 250 * events.length,
};

async function effects(path: string, window: number): Promise<Table> {
  const log = await readLogFile(path);
  const rows: (readonly string[])[] = [];
  for (const [kind, condenser] of each()) {
    const replayed = await replayCondenser(log, condenser, { maxInputTokens: window });
    const { requests, condensations, masked, tokensBefore, tokensAfter, cacheLost, condenserTokens } = replayed;
    const { readAgain, tooLong } = replayed;
    const saved = tokensBefore - tokensAfter - condenserTokens;
    rows.push([
      kind,
      ...[requests, condensations, masked, saved, cacheLost, condenserTokens].map((count) =>
        count.toLocaleString('en'),
      ),
      `${tokensBefore > 0 ? Math.round((saved / tokensBefore) * 100) : 0} %`,
      `${readAgain.calls} (${readAgain.tokens.toLocaleString('en')})`,
      String(tooLong),
    ]);
  }
  return {
    title: `Condensers on ${path}`,
    about: `Estimated tokens of all requests of the log's active branch, in a window of ${window.toLocaleString('en')}; its own condensations are left out and no model is asked. Saved: input tokens less those of the condenser. Cache lost: tokens that were sent before, or are a summary of such, and must be read again by the model's server. Read again: calls that the agent repeated after their result was hidden (tokens of the results).`,
    header: [
      'condenser',
      'requests',
      'plans',
      'masked',
      'saved',
      'cache lost',
      'own',
      'saved %',
      'read again',
      'too long',
    ],
    rows,
  };
}

function viewOf(length: number): View {
  const codec = eventCodec(builtinKinds);
  const message = { role: 'user' as const, content: [text('Find every use of the name.')] };
  const events: BaseEvent[] = [MessageEvent.create({ source: 'user', llm_message: message }, stamp(0))];
  for (let index = 1; index < length; index += 2) {
    const tool_call = {
      id: `c${index}`,
      name: 'terminal',
      arguments: `{"command":"grep ${index}"}`,
      origin: 'completion' as const,
    };
    const call = { tool_name: 'terminal', tool_call_id: tool_call.id };
    const action = TerminalAction.create({ command: `grep ${index}` });
    const observation = TerminalObservation.create({ content: [text('x'.repeat(1_000))], exit_code: 0 });
    events.push(
      ActionEvent.create({ ...call, thought: [], action, tool_call, llm_response_id: `r${index}` }, stamp(index)),
      ObservationEvent.create({ ...call, observation, action_id: stamp(index).id }, stamp(index + 1)),
    );
  }
  return foldEvents(viewProjection(codec), events);
}

function stamp(index: number) {
  return {
    id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    timestamp: '2026-01-01T12:00:00.000000',
  };
}
