import * as z from 'zod';
import { ObservationEvent } from '../kinds/observation-event.ts';
import { lenientReader } from '../lenient.ts';
import { TaskTrackerObservation, taskItem, type TaskItem } from '../payloads/task-tracker.ts';
import { freezeJson } from '../immutable.ts';
import type { Projection } from '../fold/projection.ts';

const readItems = lenientReader(() => z.array(taskItem()));

/** Folds the agent's task list after its last successful task_tracker call. */
export const taskListProjection: Projection<readonly TaskItem[]> = {
  name: 'taskList',
  version: 1,
  scope: 'branch',
  initial: () => [],
  apply(list, event) {
    if (!ObservationEvent.is(event) || !TaskTrackerObservation.is(event.observation)) return list;
    const { is_error: failed, task_list: raw } = event.observation;
    if (failed) return list;
    const items = readItems(raw ?? []);
    return items.success ? items.data : list;
  },
  read: (list) => freezeJson(list),
  encode: (list) => list.map((item) => ({ ...item })),
  decode: (json) => json as unknown as readonly TaskItem[],
};
