import { safeText } from '@varve/events/text';
import type { LogFormat } from '../common/log-format.ts';
import { transcriptOf, type TranscriptPart } from './transcript.ts';

/** Headings by role. */
const headings: Readonly<Record<TranscriptPart['role'], string>> = {
  prompt: 'System prompt',
  user: 'User',
  agent: 'Agent',
  environment: 'Environment',
  call: 'Call',
  result: 'Result',
  error: 'Error',
  summary: 'Summary of earlier events',
};

/** Transcript for people, as Markdown. Every text is in a fence, so none of it is read as Markdown. */
export const markdownFormat: LogFormat = {
  name: 'markdown',
  write({ id, title, events }) {
    const { parts, dropped } = transcriptOf(events);
    const heading = `# ${oneLine(safeText(title ?? id))}\n`;
    return { files: [{ path: '', text: [heading, ...parts.map(section)].join('\n') }], dropped };
  },
};

function section({ role, time, tool, text }: TranscriptPart): string {
  const name = tool === '' ? '' : `: ${code(tool)}`;
  return `## ${headings[role]}${name} (${code(time)})\n\n${fenced(text)}\n`;
}

/** Returns text in a fence that is longer than any in the text. */
function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(2, ...runsOf(text)) + 1);
  return `${fence}text\n${text}\n${fence}`;
}

function runsOf(text: string): readonly number[] {
  return [...new Set((text.match(/`+/g) ?? []).map(({ length }) => length))];
}

function code(text: string): string {
  return `\`${oneLine(text)}\``;
}

/** Returns text as one line without characters that have a meaning in Markdown. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s`<>[\]*_#|\\]+/g, ' ').trim();
}
