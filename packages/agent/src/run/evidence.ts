import type { CheckRun, WorkRecord } from '../log/projections/evidence-projection.ts';

/** Last run of a check, and what happened after it. */
interface CheckEvidence extends Pick<CheckRun, 'kind' | 'command' | 'seq' | 'exitCode'> {
  /** Number of files that changed after it, other than by itself. */
  readonly changedFiles: number;
}

/** What the log shows about an answer. */
export interface Evidence {
  /** Last run of each check that is known, oldest first; none proves that nothing was checked. */
  readonly checks: readonly CheckEvidence[];
  /** Calls since the last message of the user that a person or a rule refused. */
  readonly refusedCalls: number;
  /** Calls since the last message of the user whose outcome is not known, after an interrupt or a crash. */
  readonly unknownOutcomes: number;
  /** True if the answer states that a check passed whose last run failed. */
  readonly isContradicted: boolean;
  /** True if a check passed after the last change of a file, and none failed at its last run. */
  readonly isFresh: boolean;
  /** One line for people: `npm test: exit 0 (event 41), then 2 files changed`; absent if there is nothing to state. */
  readonly text?: string;
}

/** Returns what a log shows about the answer of an agent. */
export function evidenceOf(work: WorkRecord, answer: string): Evidence {
  const { refusedCalls, unknownOutcomes } = work;
  const checks = work.checks.map((check): CheckEvidence => {
    const { kind, command, seq, exitCode, actionId } = check;
    const changed = [...work.files.values()].filter((file) => file.seq > seq && !file.actionIds.includes(actionId));
    return { kind, command, seq, ...(exitCode !== undefined && { exitCode }), changedFiles: changed.length };
  });
  const contradicted = checks.find((check) => isContradicted(check, work, answer));
  const last = Object.values(Object.groupBy(checks, ({ kind }) => kind)).flatMap((ofKind) => ofKind.at(-1) ?? []);
  const parts = textParts(checks, work, contradicted);
  return {
    checks,
    refusedCalls,
    unknownOutcomes,
    isContradicted: contradicted !== undefined,
    isFresh:
      last.some(({ exitCode, changedFiles }) => exitCode === 0 && changedFiles === 0) &&
      !last.some(({ exitCode = 0 }) => exitCode > 0),
    ...(parts.length > 0 && { text: parts.join(' · ') }),
  };
}

/** Most checks in the line. */
const maxShown = 3;

function textParts(
  checks: readonly CheckEvidence[],
  { since, files, refusedCalls, unknownOutcomes }: WorkRecord,
  contradicted: CheckEvidence | undefined,
): readonly string[] {
  const isRecent = checks.some(({ seq }) => seq > since) || files.values().some(({ seq }) => seq > since);
  const shown = isRecent || contradicted ? checks.slice(-maxShown) : [];
  return [
    ...shown.map((check) => {
      const { command, exitCode, seq, changedFiles } = check;
      const status = exitCode === undefined ? 'exit status unknown' : `exit ${exitCode}`;
      const line = command.replaceAll(/\s+/g, ' ');
      const name = line.length > 60 ? `${line.slice(0, 59)}…` : line;
      const then = changedFiles === 0 ? '' : `, then ${counted(changedFiles, 'file')} changed`;
      return `${name}: ${status} (event ${seq})${then}${check === contradicted ? ', the answer states that it passed' : ''}`;
    }),
    ...(refusedCalls > 0 ? [`${counted(refusedCalls, 'call')} refused`] : []),
    ...(unknownOutcomes > 0 ? [`the outcome of ${counted(unknownOutcomes, 'call')} is unknown`] : []),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What a clause names that states without a condition that a check passed. */
const subjects: Readonly<Record<CheckRun['kind'], string>> = {
  tests: 'tests?|test suites?|specs?',
  lint: 'lint(?:er|ing)?|eslint|ruff',
  types: 'type[- ]?check(?:s|ing|er)?|types|tsc|mypy|pyright',
  build: 'builds?|compilation',
};

/** The whole clause: what is around it may deny it, in words that nothing lists. */
function claimOf(kind: CheckRun['kind']): RegExp {
  const before = '(?:(?:and|now|all|every|of|the|whole|entire|full|unit|integration|\\d+) )*';
  const between = '(?: (?:now|all|also|are|is|have|has|all))*';
  const passes = '(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green|clean)(?: (?:now|again|too))*';
  return new RegExp(`^${before}(?:${subjects[kind]})${between} ${passes}$`, 'i');
}

/** Words with which a text restricts what it states, or is about something else than what happened. */
const restriction =
  /\b(?:not?|\w+n['’]t|cannot|never|fail\w*|errors?|except\w*|but|however|although|though|despite|should|would|could|can|may|might|must|will|if|when|once|until|unless|before|after|previous\w*|earlier|expect\w*|only|some|most|many|several|one|skip\w*|broken|flak\w*|unrelated|pre-?existing|remain\w*|still|assum\w*|believe|think|likely|probabl\w*|try|tried|want|need\w*|make sure|ensure|verify|check that|so that|until|to be|goal|plan|todo|next|unable|timed? out|crash\w*|partial\w*|locally|you|your)\b|\?|:\s*$|\d ?(?:\/|of) ?\d|%/i;

/**
 * Reports whether an answer states that a check passed whose last run failed. Conservative: a text that restricts
 * anything is not judged, nor is one after a call that may have been a check in another form, or in a later turn.
 */
function isContradicted({ kind, seq, exitCode = 0 }: CheckEvidence, work: WorkRecord, answer: string): boolean {
  const last = work.checks.findLast((check) => check.kind === kind);
  if (exitCode === 0 || last?.seq !== seq || work.lastCommand > seq || work.since > seq) return false;
  if (restriction.test(answer)) return false;
  const clauses = answer.replaceAll(/[`*_"]/g, '').split(/[.,;:!\n]| and /);
  const claim = claimOf(kind);
  return clauses.some((clause) => claim.test(clause.trim()));
}
