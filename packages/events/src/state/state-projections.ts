import type { EventCodec } from '../codec.ts';
import { pendingProjection } from '../projections/pending.ts';
import { statsProjection } from '../projections/stats.ts';
import { statusProjection } from '../projections/status.ts';
import { taskListProjection } from '../projections/task-list.ts';
import { viewProjection } from '../projections/view.ts';
import { blockedProjection } from './blocked.ts';
import { countsProjection } from './counts.ts';
import { fieldsProjection } from './fields.ts';
import { skillsProjection } from './skills.ts';

/** Every projection there is: add a file, then its line here and in the index of its folder; the contract then tests it. */
export function stateProjections(codec: EventCodec) {
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
  } as const;
}
