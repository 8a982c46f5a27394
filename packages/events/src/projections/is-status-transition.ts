import type { ExecutionStatus } from './status.ts';
import { statusTransitions } from './status-transitions.ts';

const ways = new Set(statusTransitions.flatMap(({ from, to }) => from.map((status) => `${status} ${to}`)));

/** Whether a conversation may go from one status to the other. To stay is not to go. */
export function isStatusTransition(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return ways.has(`${from} ${to}`);
}
