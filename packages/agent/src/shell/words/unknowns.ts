/** Reasons for which a command cannot be rated before it runs. Each of them makes a call UNKNOWN. */
export const unknownKinds = {
  'unknown.syntax': 'Syntax that is incomplete, invalid, or too deeply nested',
  'unknown.size': 'A command that is too long to analyze',
  'unknown.command': 'The program is known only when the command runs',
  'unknown.arguments': 'Arguments of a deleting command that are known only when it runs',
  'unknown.target': 'The file that is written is known only when the command runs',
  'unknown.option': 'A command that runs another command has an option that is not known',
  'unknown.code': 'Code for an interpreter in an argument',
  'unknown.input': 'Input for an interpreter or for a running program',
  'unknown.later': 'Text that the shell runs later, or that changes what later commands mean',
  'unknown.arithmetic': 'Text that the shell evaluates as arithmetic or as the name of a variable',
  'unknown.program': 'An option, a variable or a setting that names a program to run',
} as const satisfies Readonly<Record<string, string>>;

/** Id of a reason. */
export type UnknownKind = keyof typeof unknownKinds;

/** A part of a script that cannot be rated. */
export interface Unknown {
  readonly kind: UnknownKind;
  /** The words concerned, for people. */
  readonly text: string;
}
