import { mockFunctionCalling, type ModelRequest } from '@varve/llm';
import { scriptedModel } from '@varve/llm/testing';
import { text } from '@varve/events';
import { median, type Bench } from '../table.ts';

const sizes = [10_000, 100_000, 1_000_000] as const;
const rounds = 7;

/** Replies of units that make a scanner read the same text repeatedly. */
const units: Readonly<Record<string, string>> = {
  'closing tags': '</parameter> ',
  'opening tags': '<parameter=text> ',
  'calls at line starts': '\n<function=note>\n<parameter=text>',
  'white space': ' ',
  'code fences': '\n```\n<function=note>\n',
  'CDATA ends': ']]> ',
  'a value of words': 'words and words ',
};

const request: ModelRequest = {
  messages: [{ role: 'user', content: [text('Note it.')], thinking_blocks: [] }],
  tools: [
    {
      name: 'note',
      description: 'Notes a text.',
      parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    },
  ],
  parameters: {},
};

/** Growth of the time to parse calls from text, for adversarial texts. */
export const mock: Bench = async () => {
  const rows: string[][] = [];
  for (const [name, unit] of Object.entries(units)) {
    const times = [];
    for (const size of sizes)
      times.push(await timeToRead(`<function=note>\n<parameter=text>${unit.repeat(size / unit.length)}`));
    const [, hundred = Number.NaN, million = Number.NaN] = times;
    rows.push([name, ...times.map((each) => each.toFixed(2)), `${(million / hundred).toFixed(1)}×`]);
  }
  return {
    title: 'Calls written as text: reading a reply',
    about: `Median ms of ${rounds} whole replies of 10 kB, 100 kB and 1 MB; ten times the text should take ten times as long.`,
    header: ['a reply of', '10 kB', '100 kB', '1 MB', '1 MB to 100 kB'],
    rows,
  };
};

async function timeToRead(reply: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const model = mockFunctionCalling({ callsPerReply: 'many' })(scriptedModel([{ text: reply }, { text: reply }]));
    const began = performance.now();
    await model.generate(request);
    times.push(performance.now() - began);
  }
  return median(times.slice(1));
}
