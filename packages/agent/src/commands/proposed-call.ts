import type { SecurityRisk } from '@varve/events/kinds';
import type { Payload } from '@varve/events/payloads';
import type { Tool } from '@varve/tools';

/** A valid call that is about to run, as policies and analyzers see it. */
export interface ProposedCall {
  readonly tool: Tool;
  /** Stored payload; `tool.fromAction` returns the input, for example for `tool.effect`. */
  readonly action: Payload;
  /** Risk according to the model; `UNKNOWN` without a rating, and for tools that only read. */
  readonly risk: SecurityRisk;
  /** Absolute path of the workspace, if the caller knows it. */
  readonly workspace?: string;
  /**
   * Directories in which a command may start, because earlier ones left the shell there: absolute, or relative to the
   * workspace; none if it starts in the workspace.
   */
  readonly directories?: readonly string[];
}

/** Parts of a call by which rules decide about it. */
export interface NamedCall extends Omit<ProposedCall, 'tool' | 'risk'>, Partial<Pick<ProposedCall, 'risk'>> {
  readonly tool: Pick<Tool, 'name'> & {
    readonly sandbox?: unknown;
    readonly annotations: Partial<Tool['annotations']>;
  };
}

/** Reports whether a call changes nothing, by its effect. */
export function isReading({ tool, action }: ProposedCall): boolean {
  return tool.effect(tool.fromAction(action)) === 'read';
}
