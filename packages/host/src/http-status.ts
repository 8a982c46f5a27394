import { AgentError, type AgentErrorCode } from '@varve/agent';
import { StorageError, type StorageErrorCode } from '@varve/storage';
import { ToolError } from '@varve/tools';
import { HostError, type HostErrorCode } from './error.ts';

const agentStatuses: Readonly<Record<AgentErrorCode, number>> = {
  invalid: 400,
  blocked: 400,
  'nothing-to-do': 400,
  busy: 409,
  pending: 409,
  'nothing-pending': 409,
  'calls-changed': 409,
  'tools-missing': 409,
  'not-rebuilt': 409,
  'policy-missing': 409,
  'hooks-missing': 409,
  incomplete: 409,
  'taken-over': 404,
  closed: 503,
};

const hostStatuses: Readonly<Record<HostErrorCode, number>> = { stopping: 503, full: 429, 'unknown-agent': 404 };

/** Others are 503 if the same call may succeed later. A conversation that another process holds counts as missing. */
const storageStatuses: Readonly<Partial<Record<StorageErrorCode, number>>> = {
  missing: 404,
  held: 404,
  fenced: 404,
  exists: 409,
  full: 507,
};

/** Returns the HTTP status of an error of a host, its conversations and its store; 500 for any other. */
export function httpStatusOf(error: unknown): number {
  if (error instanceof HostError) return hostStatuses[error.code];
  if (error instanceof AgentError) return agentStatuses[error.code];
  if (error instanceof ToolError && error.code === 'invalid-input') return 400;
  if (error instanceof StorageError) return storageStatuses[error.code] ?? (error.isRetryable ? 503 : 500);
  return 500;
}
