import { defineFact } from '@varve/events/facts';
import * as z from 'zod';
import { lazy } from '@varve/events';
const count = lazy(() => z.number().nonnegative());
const usage = lazy(() =>
  z.strictObject({
    calls: count(),
    cost_usd: z.exactOptional(count()),
    unpriced_calls: count(),
    latency_ms: count(),
    input_tokens: count(),
    output_tokens: count(),
    cache_read_tokens: count(),
    cache_write_tokens: count(),
    reasoning_tokens: count(),
  }),
);
const fields = lazy(() => z.record(z.string(), z.unknown()));

/**
 * Configuration of a conversation that its client sent, in the reference's JSON and without secrets. The last one of a
 * log applies. It steers nothing that the settings of the log do not contain, except titles.
 */
export const configurationFact = defineFact('varve.server.configuration', () =>
  z.strictObject({
    agent: fields(),
    /** Name of the agent, for an agent in code: `agent` has its model only. */
    agent_name: z.exactOptional(z.string()),
    max_iterations: z.int().positive(),
    stuck_detection: z.boolean(),
    tags: z.record(z.string(), z.string()),
    hook_config: z.exactOptional(fields()),
    security_analyzer: z.exactOptional(fields()),
    /** Sub-agents of the client. */
    agent_definitions: z.exactOptional(z.array(fields())),
    parent_conversation_id: z.exactOptional(z.string()),
    forked_from_conversation_id: z.exactOptional(z.string()),
    forked_from_event_id: z.exactOptional(z.string()),
    /** Usage of the origin of a fork that is shown as its own, by usage id. */
    inherited_usage: z.exactOptional(z.record(z.string(), usage())),
    launched_agent_profile: z.exactOptional(fields()),
    /** Names of the secrets of the conversation, with their kinds and descriptions. */
    secret_sources: z.record(z.string(), fields()),
    /** Profile of the model that writes the title. */
    title_llm_profile: z.exactOptional(z.string()),
    /** Models that the conversation was switched to, by usage id. */
    models: z.exactOptional(z.record(z.string(), fields())),
    /** Further fields of the request, which only its client reads. */
    request: z.exactOptional(fields()),
  }),
);
export type Configuration = NonNullable<ReturnType<typeof configurationFact.read>>;

/** In the log of a parent: a client created a conversation with this one as its parent. Steers nothing. */
export const childFact = defineFact('varve.server.child', () =>
  z.strictObject({
    /** 32 hex digits. */
    conversation_id: z.string(),
  }),
);
