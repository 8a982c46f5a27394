import { describeRule } from '@varve/agent/confirmation';
import { editableCommand, proposedRules, sessionGrant, type Approval, type CallQuestion } from '@varve/host/people';
import { quotedRows } from '../terminal/rows.ts';
import { callRows, placeRows, reasonRows } from './call-rows.ts';

/** Rows of a question: its title, and the call with the reasons why it waits. */
export interface ApprovalRows {
  readonly titleRows: readonly string[];
  readonly rows: readonly string[];
}

/** Returns the rows of a question about a call for a terminal of this width. */
export function approvalRows(question: CallQuestion, columns: number): ApprovalRows {
  const { call, place, number, count, subAgent, problem = '' } = question;
  const owner = subAgent === undefined ? '' : ` of the sub-agent ${subAgent}`;
  const title = `Approve this tool call${owner}?${count > 1 ? ` (${number} of ${count})` : ''}`;
  return {
    titleRows: [...(problem === '' ? [] : quotedRows(problem, columns)), ...quotedRows(title, columns)],
    rows: [...callRows(call, columns), ...placeRows(call, place, columns), ...reasonRows(call, columns)],
  };
}

/** Answer that a question offers. */
export interface OfferedAnswer {
  /** Letter that chooses it. */
  readonly word: 'y' | 's' | 'a' | 'e' | 'n' | 'q';
  readonly label: string;
  /** Decision; that of `e` needs a command. */
  readonly approval: Approval;
}

const rejection: Approval = { reason: 'The user rejected the call.' };

/** Returns the answers that a question offers. */
export function answersTo({ call, place }: CallQuestion): readonly OfferedAnswer[] {
  const grant = sessionGrant(call, place);
  const rules = proposedRules(call, place);
  const always = `always in this project: ${rules.map(describeRule).join(', ')}`;
  const answers: readonly (OfferedAnswer | undefined)[] = [
    { word: 'y', label: 'once', approval: 'once' },
    grant && { word: 's', label: `for this session: ${grant.covers}`, approval: 'session' },
    rules.length > 0 ? { word: 'a', label: always, approval: 'always' } : undefined,
    editableCommand(call) !== undefined
      ? { word: 'e', label: 'run this command of yours instead', approval: 'later' }
      : undefined,
    { word: 'n', label: 'reject', approval: rejection },
    { word: 'q', label: 'decide later', approval: 'later' },
  ];
  return answers.filter((answer) => answer !== undefined);
}

/** Returns the decision of an answer; undefined for an answer that the question does not offer. */
export function approvalOf(typed: string, question: CallQuestion): Approval | undefined {
  const answer = typed.trim();
  const offered = answersTo(question);
  const letter = /^(?:yes|no|quit)$/i.test(answer) ? answer.charAt(0) : answer;
  const chosen = offered.find(({ word }) => word !== 'e' && word === letter.toLowerCase());
  if (chosen) return chosen.approval;
  const command = /^e\s+(?<command>\S[^]*)$/i.exec(answer)?.groups?.['command'];
  if (command !== undefined && offered.some(({ word }) => word === 'e')) return { command };
  const reason = /^no?\s+(?<reason>\S.*)$/is.exec(answer)?.groups?.['reason'];
  return reason === undefined ? undefined : { reason };
}
