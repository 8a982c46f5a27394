import type { EventCodec } from '../src/codec.ts';
import type { TaskItem } from '../src/payloads/task-tracker.ts';
import { pendingProjection, type PendingCall } from '../src/projections/pending.ts';
import type { Projection } from '../src/fold/projection.ts';
import { statsProjection, type Stats } from '../src/projections/stats.ts';
import { statusProjection, type Status } from '../src/projections/status.ts';
import { taskListProjection } from '../src/projections/task-list.ts';
import { viewProjection, type View } from '../src/projections/view.ts';
import { blockedProjection, type Blocked } from '../src/projections/blocked.ts';
import { filesProjection, type Files } from '../src/projections/files.ts';
import { skillsProjection, type Skills } from '../src/projections/skills.ts';

/** All projections of the package, by name. Their states are private. */
export type StateProjections = {
  readonly blocked: Projection<unknown, Blocked>;
  readonly files: Projection<unknown, Files>;
  readonly pending: Projection<unknown, readonly PendingCall[]>;
  readonly skills: Projection<unknown, Skills>;
  readonly stats: Projection<unknown, Stats>;
  readonly status: Projection<unknown, Status>;
  readonly taskList: Projection<unknown, readonly TaskItem[]>;
  readonly view: Projection<unknown, View>;
};

/** Returns every projection. To add one, write its file and add its lines here and in the `index.ts` of its folder. */
export function stateProjections(codec: EventCodec): StateProjections {
  return {
    blocked: blockedProjection,
    files: filesProjection,
    pending: pendingProjection(codec),
    skills: skillsProjection,
    stats: statsProjection,
    status: statusProjection,
    taskList: taskListProjection,
    view: viewProjection(codec),
  };
}
