import { InteropError } from '@varve/interop';
import { fieldsOf, type V0Record } from '@varve/interop/records';

/** Actions that a replay repeats. */
export interface ReplayPlan {
  /** First message of the user, which starts the replay. */
  readonly initial: V0Record;
  /** Actions after it in order, without their ids; observations are never replayed. */
  readonly actions: readonly V0Record[];
}

const derived = new Set(['system', 'recall', 'null', 'change_agent_state', 'condensation', 'condensation_request']);

/**
 * Returns the actions of a trajectory for a replay. What follows from the others is left out: records of the
 * environment, the system prompt, recalls, condensations and changes of the state. Only the last message waits for the
 * user.
 *
 * @throws {InteropError} `invalid` for a trajectory that does not start with a message of the user.
 * @see OpenHands controller/replay.py
 */
export function replayPlan(records: readonly V0Record[]): ReplayPlan {
  const actions = records
    .filter(({ action, source }) => typeof action === 'string' && source !== 'environment' && !derived.has(action))
    .map(({ id: _id, ...record }) => record);
  const [initial, ...rest] = actions;
  if (initial?.['action'] !== 'message' || initial['source'] !== 'user') {
    throw new InteropError('invalid', 'The trajectory does not start with a message of the user.');
  }
  return { initial, actions: rest.map((record, index) => withoutWaiting(record, index === rest.length - 1)) };
}

function withoutWaiting(record: V0Record, isLast: boolean): V0Record {
  const args = fieldsOf(record['args']);
  if (isLast || args?.['wait_for_response'] !== true) return record;
  return { ...record, args: { ...args, wait_for_response: false } };
}
