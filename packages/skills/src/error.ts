/** Errors of skills: an archive that is refused. */
export type SkillErrorCode = 'invalid';

/** Thrown by this package. Files of a workspace that cannot be used are not errors: see `SourceProblem`. */
export class SkillError extends Error {
  override readonly name = 'SkillError';
  readonly code: SkillErrorCode;

  constructor(code: SkillErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
