import { currentSettings, type FoldedSettings } from '@varve/agent/replay';
import { z } from '@hono/zod-openapi';
import type { Summary } from '@varve/storage';
import { lazy, type BaseEvent } from '@varve/events';
import { callFact, forkEndFact, importFact, taskFact, toolsetFact } from '@varve/events/facts';
import { ConversationStateUpdateEvent } from '@varve/events/kinds';
import type { Projection } from '@varve/events/projections';
import { childFact, configurationFact, type Configuration } from './server-facts.ts';
import { configurableFields } from './conversation-info.ts';

/** The last call of one model: the parts that sums do not contain. */
export interface LastCall {
  readonly model: string;
  /** Input and output tokens. */
  readonly tokens: number;
  /** Tokens; 0 if unknown. */
  readonly contextWindow: number;
}

/** Configuration fields, tools and last calls in a log. */
export interface LoggedConfiguration {
  /** Last value of each updated field, by wire name; none that was imported. Any program may have written them. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lastCalls: Readonly<Record<string, LastCall>>;
  /** The most recently offered tools. */
  readonly tools: readonly string[];
  /** What the client of the conversation sent; none that was imported. */
  readonly configuration: Configuration | undefined;
  /** Ids of its children, in hex: those of clients, and of its tasks. A copy has none of its origin. */
  readonly children: readonly string[];
}

const known = lazy(() => new Set(['agent', ...Object.keys(configurableFields())]));

/** Folds updates of configuration fields, called models and offered tools. */
export const loggedConfigurationProjection: Projection<LoggedConfiguration> = {
  name: 'reported',
  version: 2,
  scope: 'log',
  initial: () => ({ fields: {}, lastCalls: {}, tools: [], configuration: undefined, children: [] }),
  apply: (reported, event) => (ConversationStateUpdateEvent.is(event) ? next(reported, event) : reported),
  read: (reported) => reported,
  encode: (reported) => reported as never,
  decode: (json) => json as never,
};

function next(
  reported: LoggedConfiguration,
  event: BaseEvent & { readonly key: string; readonly value?: unknown },
): LoggedConfiguration {
  if (known().has(event.key)) return { ...reported, fields: { ...reported.fields, [event.key]: event.value } };
  const configuration = configurationFact.read(event);
  if (configuration) return { ...reported, configuration, fields: { ...reported.fields, ...configuration } };
  if (importFact.read(event)) return { ...reported, configuration: undefined, fields: {}, children: [] };
  if (forkEndFact.read(event)) return { ...reported, children: [] };
  const child = childFact.read(event) ?? taskFact.read(event);
  if (child) return { ...reported, children: [...new Set([...reported.children, child.conversation_id])] };
  const toolset = toolsetFact.read(event);
  if (toolset) return { ...reported, tools: toolset.tools.map(({ name }) => name) };
  const calls = event.key === 'stats' ? foreignCalls(event.value) : callOf(event);
  return calls ? { ...reported, lastCalls: { ...reported.lastCalls, ...calls } } : reported;
}

function callOf(event: BaseEvent): LoggedConfiguration['lastCalls'] | undefined {
  const call = callFact.read(event);
  if (!call) return undefined;
  const tokens = (call.usage?.input_tokens ?? 0) + (call.usage?.output_tokens ?? 0);
  return { [call.usage_id]: { model: call.model, tokens, contextWindow: 0 } };
}

const foreignStats = lazy(() =>
  z.object({
    usage_to_metrics: z.record(
      z.string(),
      z.object({
        model_name: z.string().catch(''),
        accumulated_token_usage: z
          .object({ per_turn_token: z.number().catch(0), context_window: z.number().catch(0) })
          .nullish()
          .catch(null),
      }),
    ),
  }),
);

/** @see agent-server 1.43.1, the value of a `stats` update */
function foreignCalls(value: unknown): LoggedConfiguration['lastCalls'] | undefined {
  const parsed = foreignStats().safeParse(value);
  if (!parsed.success) return undefined;
  return Object.fromEntries(
    Object.entries(parsed.data.usage_to_metrics).map(([id, { model_name: model, accumulated_token_usage: usage }]) => [
      id,
      { model, tokens: usage?.per_turn_token ?? 0, contextWindow: usage?.context_window ?? 0 },
    ]),
  );
}

const fields = lazy(() =>
  z.looseObject({
    workspace: z.union([z.string(), z.object({ working_dir: z.string() }).transform((at) => at.working_dir)]).catch(''),
    agent: z.unknown().optional(),
  }),
);

const spec = lazy(() => z.looseObject({ confirmation_policy: z.unknown() }));

/** Settings that a conversation is opened with. */
export interface StoredConfiguration extends z.output<ReturnType<typeof fields>> {
  /** Policy in the log; undefined for a log that contains none, whose policy is among the other fields. */
  readonly policy: unknown;
}

/**
 * Returns the settings of a conversation as opening it uses them: those of its log. What is stored next to a log counts
 * only if the log contains no settings and was not imported, as the reference writes it.
 */
export function storedConfiguration({ meta }: Pick<Summary, 'meta'>, fold: FoldedSettings): StoredConfiguration {
  const { settings, importHead } = fold.settings;
  const isLogged = settings !== undefined || importHead !== undefined;
  const current = currentSettings(fold, meta);
  const stored = fields().safeParse(isLogged ? current : meta).data ?? { workspace: '' };
  return { ...stored, policy: isLogged ? spec().safeParse(current.agent).data?.confirmation_policy : undefined };
}
