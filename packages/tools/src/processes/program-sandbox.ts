import type { Sandbox, WrapOptions, WrappedCommand } from '@varve/sandbox';

/** Walls around the programs of a tool; the caller closes them after the tool. */
export type ProgramSandbox = Pick<Sandbox, 'policy' | 'wrap' | 'describeRefusals' | 'openPort'>;

/** Returns the command that runs a program in a sandbox, or the program itself without one. */
export function programIn(
  sandbox: ProgramSandbox | undefined,
  argv: readonly [string, ...string[]],
  options: WrapOptions,
): WrappedCommand {
  if (sandbox !== undefined) return sandbox.wrap(argv, options);
  const [program, ...args] = argv;
  return { program, args, env: { ...options.env, ...options.marks } };
}
