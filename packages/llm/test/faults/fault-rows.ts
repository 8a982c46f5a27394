import { abortFaults } from './abort-faults.ts';
import { answerFaults } from './answer-faults.ts';
import { byteFaults } from './byte-faults.ts';
import { callFaults } from './call-faults.ts';
import { connectionFaults } from './connection-faults.ts';
import type { FaultScenario, FaultRow, TimedScenario } from './fault-row.ts';
import { limitFaults } from './limit-faults.ts';
import { workaroundFaults } from './workaround-faults.ts';
import { modelFaults } from './model-faults.ts';
import { statusFaults } from './status-faults.ts';
import { timedFaults } from './timed-faults.ts';
import { toolFaults } from './tool-faults.ts';

/** All scenarios. */
export const faultRows: readonly (FaultRow | FaultScenario | TimedScenario)[] = [
  ...statusFaults,
  ...workaroundFaults,
  ...connectionFaults,
  ...timedFaults,
  ...answerFaults,
  ...callFaults,
  ...toolFaults,
  ...abortFaults,
  ...byteFaults,
  ...limitFaults,
  ...modelFaults,
];
