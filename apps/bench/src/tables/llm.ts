import { text, textOf, type Message } from '@varve/events';
import { mockFunctionCalling, openaiChat, type ModelRequest, type ToolSpec } from '@varve/llm';
import { OpenAI } from 'openai';
import { startModelServer } from '../start-model-server.ts';
import { median, type Bench } from '../table.ts';

const sizes: readonly (readonly [name: string, bytes: number])[] = [
  ['10 kB', 10_000],
  ['100 kB', 100_000],
  ['1 MB', 1_000_000],
];
const rounds = 60;
/** The first rounds load code and fill caches, on all sides. */
const warmUp = 10;

const tool: ToolSpec = {
  name: 'note',
  description: 'Notes a text.',
  parameters: {
    type: 'object',
    properties: { text: { type: 'string', description: 'The text.' } },
    required: ['text'],
  },
};

/** One call with a history that grew by one exchange: the bare `openai` client, chat, and calls written as text. */
export const llm: Bench = async () => {
  using server = await startModelServer();
  const chat = openaiChat({ model: 'bench', baseUrl: `${server.url}/v1` });
  const mock = mockFunctionCalling()(openaiChat({ model: 'bench', baseUrl: `${server.url}/text/v1` }));
  const rows: (readonly string[])[] = [];
  for (const [name, bytes] of sizes) {
    const times: Record<'bare' | 'chat' | 'mock', number[]> = { bare: [], chat: [], mock: [] };
    const history = historyOf(bytes);
    const bare = bareClient(`${server.url}/v1`);
    for (let round = 0; round < rounds; round += 1) {
      history.push(...exchange(`round ${round}`, 200));
      const request: ModelRequest = { messages: [...history], tools: [tool], parameters: {} };
      times.bare.push(await timed(() => bare(request)));
      times.chat.push(await timed(() => chat.generate(request)));
      times.mock.push(await timed(() => mock.generate(request)));
    }
    const middle = (all: readonly number[]): number => median(all.slice(warmUp));
    const [base, native, written] = [middle(times.bare), middle(times.chat), middle(times.mock)];
    rows.push([name, ms(base), ms(native), ratio(native, base), ms(written), ratio(written, base)]);
  }
  return {
    title: 'One call of a model',
    about: `Median ms of a call, server included, over ${rounds - warmUp} calls whose history grows; next to it the bare openai client.`,
    header: ['history', 'openai', 'chat', 'ratio', 'mock', 'ratio'],
    rows,
  };
};

/** A direct use of the client: one growing history, each message converted to the wire format once. */
function bareClient(baseURL: string): (request: ModelRequest) => Promise<unknown> {
  const client = new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
  const { name, description, parameters } = tool;
  const tools = [{ type: 'function', function: { name, description, parameters: { ...parameters } } } as const];
  const wire = new Map<Message, OpenAI.ChatCompletionMessageParam>();
  return async ({ messages }) => {
    for (const message of messages) if (!wire.has(message)) wire.set(message, wireMessage(message));
    return client.chat.completions.create({ model: 'bench', messages: [...wire.values()], tools });
  };
}

function wireMessage({
  role,
  content,
  tool_calls: calls,
  tool_call_id: id,
}: Message): OpenAI.ChatCompletionMessageParam {
  const body = textOf(content);
  if (role === 'tool') return { role, tool_call_id: id ?? '', content: body };
  if (role !== 'assistant') return { role, content: body };
  const tool_calls = (calls ?? []).map((call) => ({
    id: call.id,
    type: 'function' as const,
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role, content: null, tool_calls };
}

function historyOf(bytes: number): Message[] {
  const start: readonly Message[] = [
    { role: 'system', content: [text('You take notes.')], thinking_blocks: [] },
    { role: 'user', content: [text('Note what you see.')], thinking_blocks: [] },
  ];
  const count = Math.ceil(bytes / 1000);
  return [...start, ...Array.from({ length: count }, (_, index) => exchange(`past ${index}`, 700)).flat()];
}

/** A call and its result. */
function exchange(name: string, bytes: number): readonly Message[] {
  const id = `call ${name}`;
  const call = { id, name: 'note', arguments: JSON.stringify({ text: name }), origin: 'completion' } as const;
  return [
    { role: 'assistant', content: [], tool_calls: [call], thinking_blocks: [] },
    { role: 'tool', tool_call_id: id, name: 'note', content: [text('x'.repeat(bytes))], thinking_blocks: [] },
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function ms(value: number): string {
  return value.toFixed(2);
}

function ratio(value: number, base: number): string {
  return `${(value / base).toFixed(2)}×`;
}
