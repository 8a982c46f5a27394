import type { Observation } from '@varve/events/payloads';
import { lifetime } from './lifetime.ts';
import type { Tool, ToolContext } from './tool.ts';

/** A call that {@link wrapTool} passes on. */
export interface WrappedCall<Input> {
  readonly tool: Tool<Input>;
  /** As it was stored and approved: another one cannot be executed. */
  readonly input: Input;
  readonly context: ToolContext;
}

/**
 * Returns a tool whose calls pass through a function, which returns the observation. `execute` runs the inner tool, in
 * another context if one is passed. Everything else stays: name, schema, effect, annotations, and `close`, so that it
 * is the same tool for the conversation that owns it. Wraps the tools that its source adds, too.
 *
 * Without `execute` the call does not run. A thrown `ToolError` is the reason that the model reads. The function has a
 * second after the signal aborts, as a tool has.
 */
export function wrapTool<Input, Kind extends Tool<Input>>(
  tool: Kind & Tool<Input>,
  around: (call: WrappedCall<Input>, execute: (context?: ToolContext) => Promise<Observation>) => Promise<Observation>,
): Kind {
  const { run } = lifetime({ name: tool.name });
  // A tool of the same source takes other arguments, which only its own `execute` reads.
  const rewrap = (added: Tool): Tool => wrapTool((tool.rewrap?.(added) ?? added) as Tool<Input>, around);
  return {
    ...tool,
    ...(tool.source && { rewrap }),
    execute: (input: Input, context: ToolContext) =>
      run(context.signal, () => around({ tool, input, context }, (changed = context) => tool.execute(input, changed))),
  };
}
