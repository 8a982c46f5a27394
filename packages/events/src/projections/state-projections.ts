import type { EventCodec } from '../codec.ts';
import type { TaskItem } from '../payloads/task-tracker.ts';
import { pendingProjection, type PendingCall } from './pending.ts';
import type { Projection } from '../fold/projection.ts';
import { statsProjection, type Stats } from './stats.ts';
import { statusProjection, type Status } from './status.ts';
import { taskListProjection } from './task-list.ts';
import { viewProjection, type View } from './view.ts';
import { blockedProjection, type Blocked } from './blocked.ts';
import { countsProjection, type Counts } from './counts.ts';
import { fieldsProjection } from './fields.ts';
import { skillsProjection, type Skills } from './skills.ts';

/** All projections of the package, by name. Their states are private. */
export type StateProjections = {
  readonly blocked: Projection<unknown, Blocked>;
  readonly counts: Projection<unknown, Counts>;
  readonly fields: Projection<unknown, ReadonlyMap<string, unknown>>;
  readonly pending: Projection<unknown, readonly PendingCall[]>;
  readonly skills: Projection<unknown, Skills>;
  readonly stats: Projection<unknown, Stats>;
  readonly status: Projection<unknown, Status>;
  readonly taskList: Projection<unknown, readonly TaskItem[]>;
  readonly view: Projection<unknown, View>;
};

/** Returns every projection. To add one, write its file and add its lines here and in `index.ts`. */
export function stateProjections(codec: EventCodec): StateProjections {
  return {
    blocked: blockedProjection,
    counts: countsProjection,
    fields: fieldsProjection,
    pending: pendingProjection(codec),
    skills: skillsProjection,
    stats: statsProjection,
    status: statusProjection,
    taskList: taskListProjection,
    view: viewProjection(codec),
  };
}
