import { safeText } from '@varve/events/text';
import type { LogFormat } from '../common/log-format.ts';
import { transcriptOf, type TranscriptPart } from './transcript.ts';

/** A page loads nothing and runs nothing, whatever the texts in it contain. */
const policy = "default-src 'none'; style-src 'unsafe-inline'";

const style = `
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
section { border-left: 4px solid #8888; margin: 1rem 0; padding: 0 0 0 1rem; }
h2 { font-size: 0.9rem; margin: 0; opacity: 0.7; }
pre { margin: 0; overflow-wrap: anywhere; white-space: pre-wrap; }
.user { border-color: #2a6fdb; }
.agent { border-color: #2e8540; }
.call, .result { border-color: #b58900; }
.error { border-color: #d83b3b; }
`;

/** Transcript for people, as one HTML file without scripts, images and links. */
export const htmlFormat: LogFormat = {
  name: 'html',
  write({ id, title, events }) {
    const { parts, dropped } = transcriptOf(events);
    const name = escaped(safeText(title ?? id));
    const text = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${name}</title>
<style>${style}</style>
<h1>${name}</h1>
${parts.map(section).join('\n')}
</html>
`;
    return { files: [{ path: '', text }], dropped };
  },
};

function section({ role, time, tool, text }: TranscriptPart): string {
  const heading = [role, tool, time].filter(Boolean).map(escaped).join(' · ');
  const block = `<h2>${heading}</h2>\n<pre>${escaped(text)}</pre>`;
  // Long texts that few people read are closed.
  const isClosed = role === 'prompt' || role === 'result';
  if (!isClosed) return `<section class="${role}">${block}</section>`;
  return `<section class="${role}"><details><summary>${heading}</summary><pre>${escaped(text)}</pre></details></section>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
