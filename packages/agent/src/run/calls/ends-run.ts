import { FinishAction, type Payload } from '@varve/events/payloads';
import type { Tool } from '@varve/tools';

/** Reports whether a call ends the run once it succeeded: `finish`, and calls of tools with control. */
export function endsRun(action: Payload | undefined, tool: Pick<Tool, 'control'> | undefined): boolean {
  return FinishAction.is(action) || (action !== undefined && tool?.control !== undefined);
}
