import { originFact } from '@varve/events/facts';
import type { BaseEvent } from '@varve/events';
import { differencesOf } from '../common/differences.ts';
import { fieldsOf, stringOf, type Fields } from '../common/foreign-json.ts';
import { LogBuilder } from '../common/log-builder.ts';
import { lastOrigin } from '../common/origins.ts';
import type { ForeignLog, ReadOptions, WrittenLog } from '../common/log-format.ts';
import { Metrics } from './metrics.ts';

/** Name of `metadata.json` in facts. */
const metadataFormat = 'openhands-v0-metadata';

/** Returns `metadata.json` of a log: as it was imported, with the current id and title. */
export function metadataFileOf({ id, title, events }: WrittenLog): Fields {
  const fields = { conversation_id: id, ...(title !== undefined && { title }) };
  return { ...(lastOrigin(events, metadataFormat) ?? derivedMetadata(events)), ...fields };
}

/** Adds the content of `metadata.json` to a log that was read. */
export function withMetadata(log: ForeignLog, metadata: Fields, { newId }: ReadOptions): ForeignLog {
  const { conversation_id: id, title } = metadata;
  const builder = new LogBuilder(newId, log.entries);
  // Totals and times may have changed when the file is written again, so the whole file is kept.
  const value = { format: metadataFormat, ...differencesOf({}, metadata) };
  const isKept = builder.add('', (stamp) => originFact.create(value, stamp));
  const problem = { place: 'metadata.json', reason: 'It cannot be kept: it is nested too deeply.' };
  return {
    ...log,
    ...(typeof id === 'string' && { id }),
    ...(stringOf(title) !== undefined && { title: stringOf(title) ?? '' }),
    entries: builder.entries,
    problems: isKept ? log.problems : [...log.problems, problem],
  };
}

/** Returns the fields that follow from the events, in the order of V0. */
function derivedMetadata(events: readonly BaseEvent[]): Fields {
  const metrics = new Metrics();
  for (const event of events) metrics.follow(event);
  const { accumulated_cost = 0, accumulated_token_usage } = metrics.fields() ?? {};
  const { prompt_tokens = 0, completion_tokens = 0, model = null } = fieldsOf(accumulated_token_usage) ?? {};
  return {
    conversation_id: '',
    selected_repository: null,
    user_id: null,
    selected_branch: null,
    git_provider: null,
    title: null,
    last_updated_at: events.at(-1)?.timestamp ?? null,
    trigger: null,
    pr_number: [],
    created_at: events[0]?.timestamp ?? null,
    llm_model: model,
    accumulated_cost,
    prompt_tokens,
    completion_tokens,
    total_tokens: Number(prompt_tokens) + Number(completion_tokens),
    sandbox_id: null,
    conversation_version: 'V0',
  };
}
