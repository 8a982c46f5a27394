import { parseRecord } from './json-record.ts';

/**
 * Who may write a conversation, as `owner_lease.json` has it.
 *
 * @see software-agent-sdk openhands/agent_server/conversation_lease.py
 */
export interface OwnerLease {
  readonly owner_instance_id: string;
  /** Rises with every takeover; our epochs are generations. */
  readonly generation: number;
  /** UTC seconds. */
  readonly expires_at: number;
  readonly owner_host?: string;
  readonly owner_pid?: number;
}

/** Reads a lease. What is no lease counts as none: whoever wrote it does not renew it. */
export function parseOwnerLease(text: Buffer | undefined): OwnerLease | undefined {
  const record = parseRecord(text);
  const { owner_instance_id: instance, generation, expires_at: end, owner_host: host, owner_pid: pid } = record ?? {};
  if (typeof instance !== 'string' || typeof end !== 'number' || typeof generation !== 'number') return undefined;
  if (!Number.isSafeInteger(generation) || generation < 0) return undefined;
  return {
    owner_instance_id: instance,
    generation,
    expires_at: end,
    ...(typeof host === 'string' && { owner_host: host }),
    ...(typeof pid === 'number' && { owner_pid: pid }),
  };
}
