import { describeRule } from '@varve/agent/confirmation';
import { editableCommand, proposedRules, sessionGrant, type Approval, type CallQuestion } from '@varve/host/people';
import { quotedRows } from '../terminal/rows.ts';
import { callRows, placeRows, reasonRows } from './call-rows.ts';

/** Rows of a question: its title, and the call, the reasons and the answers. */
export interface ApprovalRows {
  readonly titleRows: readonly string[];
  readonly rows: readonly string[];
}

/** Returns the rows of a question about a call for a terminal of this width. */
export function approvalRows({ call, place, number, count, subAgent }: CallQuestion, columns: number): ApprovalRows {
  const owner = subAgent === undefined ? '' : ` of the sub-agent ${subAgent}`;
  const title = `Approve this tool call${owner}?${count > 1 ? ` (${number} of ${count})` : ''}`;
  const grant = sessionGrant(call, place);
  const rules = proposedRules(call, place);
  const choices = [
    '[y] once',
    ...(grant ? [`[s] for this session: ${grant.covers}`] : []),
    ...(rules.length > 0 ? [`[a] always in this project: ${rules.map(describeRule).join(', ')}`] : []),
    ...(isEditable({ call, subAgent }) ? ['[e COMMAND] run this command of yours instead'] : []),
    '[n] reject, [n REASON] reject with a reason',
    '[q] decide later',
  ];
  return {
    titleRows: quotedRows(title, columns),
    rows: [
      ...callRows(call, columns),
      ...placeRows(call, place, columns),
      ...reasonRows(call, columns),
      ...choices.flatMap((choice) => quotedRows(choice, columns)),
    ],
  };
}

/** Returns the answers that a question offers. */
export function answersTo({ call, place, subAgent }: CallQuestion): readonly string[] {
  const grant = sessionGrant(call, place);
  return [
    'y',
    ...(grant ? ['s'] : []),
    ...(proposedRules(call, place).length > 0 ? ['a'] : []),
    ...(isEditable({ call, subAgent }) ? ['e COMMAND'] : []),
    'n',
    'n REASON',
    'q',
  ];
}

/** The shell of a sub-agent is its own. */
function isEditable({ call, subAgent }: Pick<CallQuestion, 'call' | 'subAgent'>): boolean {
  return subAgent === undefined && editableCommand(call) !== undefined;
}

/** Returns the decision of an answer; undefined for an answer that the question does not offer. */
export function approvalOf(typed: string, question: CallQuestion): Approval | undefined {
  const answer = typed.trim();
  const offered = answersTo(question);
  if (/^y(es)?$/i.test(answer)) return 'once';
  if (/^s$/i.test(answer) && offered.includes('s')) return 'session';
  if (/^a$/i.test(answer) && offered.includes('a')) return 'always';
  if (/^q(uit)?$/i.test(answer)) return 'later';
  const edit = /^e\s+(?<command>\S[^]*)$/i.exec(answer)?.groups?.['command'];
  if (edit !== undefined && offered.includes('e COMMAND')) return { command: edit };
  const rejection = /^no?(?:\s+(?<reason>\S.*))?$/is.exec(answer);
  return rejection ? { reason: rejection.groups?.['reason'] ?? 'The user rejected the call.' } : undefined;
}
