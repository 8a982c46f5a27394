// Loads skills of a workspace: one is activated by a word, one is loaded by the model, and one cannot be read.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@varve/events';
import { Conversation, defineAgent } from '@varve/agent';
import { loadSkills } from '@varve/skills';
import { scriptedModel } from '@varve/llm/testing';
import { memoryStore } from '@varve/storage';
import { finish } from '@varve/tools';

const workspace = await mkdtemp(join(tmpdir(), 'skills-'));
for (const path of ['.agents', '.agents/skills', '.agents/skills/pdf']) await mkdir(join(workspace, path));
const put = (path: string, text: string): Promise<void> => writeFile(join(workspace, '.agents/skills', path), text);
await put('pdf/SKILL.md', '---\nname: pdf\ndescription: Reads PDF files.\n---\nUse pdftotext -layout.');
await put('git.md', '---\ntriggers: [git, commit]\n---\nOne change per commit.');
await put('broken.md', '---\ntriggers: [a\n---\nText.');

const { skills, problems } = await loadSkills({ workspace });
console.log(skills.map(({ name }) => name).join(', '));
for (const { path, line, message } of problems) console.log(path.slice(workspace.length + 1), line, message);

const model = scriptedModel([
  { calls: [{ name: 'invoke_skill', arguments: { name: 'pdf' } }] },
  { calls: [{ name: 'finish', arguments: { message: 'Done.' } }] },
]);
const agent = defineAgent({ model, tools: [finish()], skills });
await using store = memoryStore();
await using conversation = await Conversation.create({ agent, store, workspace });
await conversation.send('Read the PDF and commit the text.');
await conversation.run();
for (const { role, content } of conversation.request().messages) {
  if (role === 'user' || role === 'tool') console.log(`${role}:`, textOf(content));
}
await rm(workspace, { recursive: true });
