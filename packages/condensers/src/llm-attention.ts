import { lazy, type BaseEvent } from '@varve/events';
import { SystemPromptEvent } from '@varve/events/kinds';
import { cutPoints } from '@varve/events/projections';
import type { LanguageModel, ModelReply, ToolSpec } from '@varve/llm';
import { modelJsonLimits, parseJson, withoutUndefined } from '@varve/text';
import * as z from 'zod';
import type { CondensationPlan, CondenseContext, Condenser } from './condenser.ts';
import { CondenserError } from './error.ts';
import { gapNote } from './plans/gap-note.ts';
import { checkLimits, excessOf, keepFirstOptions, type KeepFirstOptions } from './plans/limits.ts';
import { openingLength } from './plans/opening.ts';
import { defineCondenserKind } from './registry/condenser-kind.ts';
import { askForSummary } from './summaries/ask-for-summary.ts';
import { isFailure } from './summaries/is-failure.ts';
import { shortId } from './summaries/render-events.ts';
import { throwIfAborted } from './throw-if-aborted.ts';

/** Options of {@link llmAttention}. */
export interface LlmAttentionOptions extends KeepFirstOptions {
  /** Model that ranks the events; default that of the agent. */
  readonly model?: LanguageModel;
}

const tool: ToolSpec = {
  name: 'rank_events',
  description: 'Ranks the events by how much the agent needs them to continue.',
  parameters: {
    type: 'object',
    properties: {
      ids: { type: 'array', items: { type: 'string' }, description: 'Ids of events, the most important first.' },
    },
    required: ['ids'],
  },
};

const task = {
  tool,
  instruction:
    'Call rank_events once with the ids of the events that the agent needs most to continue, the most important first. Prefer what cannot be found out again: wishes of the user, decisions, failures, exact values.',
};

/** Length of each text that the model reads, in UTF-16 units: enough to see what an event is about. */
const maxTextLength = 1_000;

/**
 * Creates a condenser whose model ranks the events of a long view, by default of more than 100; about half of them are
 * kept, the best ones, in their order. A reply is kept or forgotten with its results. If too few are ranked, or the
 * model fails, the newest are kept.
 *
 * @throws {CondenserError} `invalid` for numbers out of range.
 * @see OpenHands V0 LLMAttentionCondenser, which forgets nothing of a short view and repeats itself
 */
export function llmAttention({
  maxEvents = 100,
  keepFirst = 1,
  model,
  ...others
}: LlmAttentionOptions = {}): Condenser {
  const limits = { maxEvents, ...others };
  checkLimits(limits, { keepFirst });
  return {
    spec: { kind: 'llm-attention', ...limits, keepFirst, ...(model && { model: model.spec }) },
    async condense(view, context) {
      throwIfAborted(context.signal);
      const { events } = view;
      const { reason } = context;
      const first = Math.max(reason === 'check' ? keepFirst : 0, openingLength(events));
      const excess = excessOf(events, context, limits, { first });
      const units = excess ? unitsOf(events, first) : [];
      const least = reason === 'demand' ? 2 : Math.max(2, Math.ceil(events.length / 10));
      const size = units.reduce((sum, unit) => sum + unit.members.length, 0);
      const kept = Math.min(size - least, events.length - (excess?.target ?? 0));
      if (size < least || kept < 0)
        return reason === 'check' ? view : { kind: 'nothing', reason: 'No two events can be forgotten.' };
      return planFor(events, units, { kept, ...(await rankOf(events, units, model, context)) });
    },
  };
}

/** Spec of {@link llmAttention}. */
export const llmAttentionKind = defineCondenserKind('llm-attention', {
  aliases: ['llm_attention'],
  options: () => z.object({ ...keepFirstOptions(), model: z.exactOptional(z.json()) }),
  create: ({ model, ...options }, parts) =>
    llmAttention({ ...options, ...(model !== undefined && { model: parts.model(model) }) }),
});

/** Events between two cut points, which are kept or forgotten together. */
interface Unit {
  readonly start: number;
  readonly members: readonly BaseEvent[];
}

function unitsOf(events: readonly BaseEvent[], first: number): readonly Unit[] {
  const points = cutPoints(events).filter((point) => point >= first);
  return points.slice(0, -1).flatMap((start, index) => {
    const members = events.slice(start, points[index + 1]).filter((event) => !SystemPromptEvent.is(event));
    return members.length > 0 ? [{ start, members }] : [];
  });
}

interface Ranking {
  /** Ids of events, the most important first. */
  readonly ranked: readonly string[];
  readonly responseId?: string;
  readonly problem?: string;
}

/** Asks the model. A failure is no reason to keep the view: the newest events are the usual choice. */
async function rankOf(
  events: readonly BaseEvent[],
  units: readonly Unit[],
  model: LanguageModel | undefined,
  context: CondenseContext,
): Promise<Ranking> {
  try {
    const members = units.flatMap((unit) => unit.members);
    const reply = await askForSummary(members, { task, maxTextLength, ...(model && { model }) }, context);
    const ids = new Map(members.map(({ id }, index) => [shortId(index), id]));
    return { ranked: idsIn(reply).flatMap((id) => ids.get(id) ?? []), responseId: reply.id };
  } catch (error) {
    throwIfAborted(context.signal);
    if (!isFailure(error)) throw error;
    return { ranked: [], problem: error.message };
  }
}

const ranking = lazy(() => z.object({ ids: z.array(z.string()) }));

/** @throws {CondenserError} `failed` for a reply without a ranking. */
function idsIn({ message }: ModelReply): readonly string[] {
  const call = message.tool_calls?.find(({ name }) => name === tool.name);
  const result = ranking().safeParse(parseJson(call?.arguments, modelJsonLimits));
  if (!result.success) throw new CondenserError('failed', `The reply has no call of ${tool.name} with ids.`);
  return result.data.ids;
}

function planFor(
  events: readonly BaseEvent[],
  units: readonly Unit[],
  { kept, ranked, responseId, problem }: Ranking & { readonly kept: number },
): CondensationPlan {
  const place = new Map(ranked.map((id, index) => [id, index]));
  const bestOf = ({ members }: Unit): number =>
    members.reduce((best, { id }) => Math.min(best, place.get(id) ?? Infinity), Infinity);
  // Those without a rank follow, the newest first: the difference of two missing ranks is NaN.
  const order = units.toSorted((left, right) => bestOf(left) - bestOf(right) || right.start - left.start);
  const chosen = new Set<Unit>();
  let left = kept;
  for (const unit of order) {
    if (unit.members.length > left) continue;
    chosen.add(unit);
    left -= unit.members.length;
  }
  const gone = units.filter((unit) => !chosen.has(unit));
  const forgotten = gone.flatMap(({ members }) => members);
  const ids = new Set(forgotten.map(({ id }) => id));
  const start = gone[0]?.start ?? 0;
  return {
    kind: 'condensation',
    forget: forgotten.map(({ id }) => id),
    summary: gapNote(forgotten),
    summaryOffset: events.slice(0, start).filter(({ id }) => !ids.has(id)).length,
    ...withoutUndefined({ responseId, problem }),
  };
}
