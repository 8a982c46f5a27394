import type { Json } from '@varve/events';
import { asRecord, type JsonRecord } from './json-record.ts';

/** What of a summary's `meta` the files of the reference can say. */
export interface AgentMeta {
  readonly title?: string;
  readonly status?: string;
  /** The path of the directory that is worked on. */
  readonly workspace?: string;
  /** What rebuilds the agent. */
  readonly agent?: JsonRecord;
}

/** Reads the parts there are; none when `meta` is something else altogether. */
export function agentMetaOf(meta: Json | undefined): AgentMeta {
  const { title, status, workspace, agent } = asRecord(meta) ?? {};
  const spec = asRecord(agent);
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof status === 'string' && { status }),
    ...(typeof workspace === 'string' && { workspace }),
    ...(spec && { agent: spec }),
  };
}
