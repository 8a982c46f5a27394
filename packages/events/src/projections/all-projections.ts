import type { EventCodec } from '../codec.ts';
import { pendingProjection } from './pending.ts';
import type { Projection } from './projection.ts';
import { statsProjection } from './stats.ts';
import { statusProjection } from './status.ts';
import { taskListProjection } from './task-list.ts';
import { viewProjection } from './view.ts';

/** Every projection there is: add a file, then its line here and in `index.ts`; the contract then tests it. */
export function allProjections(codec: EventCodec): Readonly<Record<string, Projection<unknown, unknown>>> {
  return {
    pending: pendingProjection(codec),
    stats: statsProjection,
    status: statusProjection,
    taskList: taskListProjection,
    view: viewProjection(codec),
  };
}
