import { abortFaults } from './abort-faults.ts';
import { answerFaults } from './answer-faults.ts';
import { byteFaults } from './byte-faults.ts';
import { callFaults } from './call-faults.ts';
import { connectionFaults } from './connection-faults.ts';
import type { FaultPlay, FaultRow, TimedFault } from './fault-row.ts';
import { lessonFaults } from './lesson-faults.ts';
import { modelFaults } from './model-faults.ts';
import { statusFaults } from './status-faults.ts';
import { timedFaults } from './timed-faults.ts';
import { toolFaults } from './tool-faults.ts';

/** Every scenario. */
export const faultRows: readonly (FaultRow | FaultPlay | TimedFault)[] = [
  ...statusFaults,
  ...lessonFaults,
  ...connectionFaults,
  ...timedFaults,
  ...answerFaults,
  ...callFaults,
  ...toolFaults,
  ...abortFaults,
  ...byteFaults,
  ...modelFaults,
];
