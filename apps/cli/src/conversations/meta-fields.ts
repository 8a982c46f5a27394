import type { Json } from '@varve/events';

/** Fields of a stored `meta` that are shown to the user. */
export interface MetaFields {
  readonly title: string;
  readonly status: string;
  readonly workspace: string;
  readonly model: string;
  /** True if the usage of all calls is stored, as it was when the conversation was closed. */
  readonly hasUsage: boolean;
  /** US dollars of all calls of known price. */
  readonly costUsd?: number;
}

/** Deepest nesting of wrapped models. */
const maxDepth = 20;

/** Returns the known fields of any `meta`, which may come from an imported log; empty for those of another type. */
export function metaFields(meta: Json): MetaFields {
  const fields = fieldsOf(meta);
  const { title, workspace, agent, usage } = fields;
  const { llm, model } = fieldsOf(agent);
  // The log of an import that did not end is a part of the imported one.
  const status = 'importing' in fields ? 'importing' : textOf(fields['status']);
  const costs = Object.values(fieldsOf(usage)).map((used) => fieldsOf(used)['cost_usd']);
  const known = costs.filter((cost) => typeof cost === 'number');
  return {
    title: textOf(title),
    status,
    workspace: textOf(workspace),
    model: modelName(llm ?? model),
    hasUsage: usage !== undefined,
    ...(known.length > 0 && { costUsd: known.reduce((sum, cost) => sum + cost, 0) }),
  };
}

/** Returns the name in the spec of a model; a wrapper contains the spec of its model. */
function modelName(spec: unknown): string {
  let model = spec;
  for (let depth = 0; depth < maxDepth && typeof model === 'object'; depth++) model = fieldsOf(model)['model'];
  return textOf(model);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
