import type { TextCallFormat } from '../../src/text-calls/formats/readers.ts';
import { writeCall } from '../../src/text-calls/function-tags/write-call.ts';

/** A call that is written as text. */
export interface WritableCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type Writer = (calls: readonly WritableCall[]) => string;

const jsonOf = ({ name, arguments: args }: WritableCall): string => JSON.stringify({ name, arguments: args });
const argsOf = (call: WritableCall): string => JSON.stringify(call.arguments);
const inText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const padded = (value: unknown): string => (inText(value).includes('\n') ? `\n${inText(value)}\n` : inText(value));
const each =
  (write: (call: WritableCall, index: number) => string, between = ''): Writer =>
  (calls) =>
    calls.map(write).join(between);
const fields = (call: WritableCall, write: (name: string, value: unknown) => string, between = ''): string =>
  Object.entries(call.arguments)
    .map(([name, value]) => write(name, value))
    .join(between);

function pythonValue(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${pythonValue(item)}`)
    .join(', ')}}`;
}
const pythonCall = (call: WritableCall): string =>
  `${call.name}(${fields(call, (name, value) => `${name}=${pythonValue(value)}`, ', ')})`;

function gemmaValue(value: unknown, quote: string): string {
  if (typeof value === 'string') return `${quote}${value}${quote}`;
  if (Array.isArray(value)) return `[${value.map((item) => gemmaValue(item, quote)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${quote}${key}${quote}:${gemmaValue(item, quote)}`)
    .join(',')}}`;
}
const gemmaCall = (call: WritableCall, quote: string): string =>
  `call:${call.name}{${fields(call, (name, value) => `${name}:${gemmaValue(value, quote)}`, ',')}}`;

/** Calls as models write them, by format. */
export const writers: Readonly<Record<TextCallFormat, Readonly<Record<string, Writer>>>> = {
  'function-tags': {
    Qwen3Coder: each((call) => `<tool_call>\n${writeCall({ ...call, arguments: argsOf(call) })}\n</tool_call>`, '\n'),
    ours: each((call) => writeCall({ ...call, arguments: argsOf(call) }), '\n'),
  },
  'tool-call-json': {
    Hermes: each((call) => `<tool_call>\n${jsonOf(call)}\n</tool_call>`, '\n'),
    tools: each((call) => `<tools>\n${jsonOf(call)}\n</tools>`),
    'without the last tag': each((call) => `<tool_call>${jsonOf(call)}`),
    'arguments in a text': each(
      (call) => `<tool_call>${JSON.stringify({ name: call.name, arguments: argsOf(call) })}</tool_call>`,
    ),
    'fence between tags': each((call) => `<tool_call>\n\`\`\`json\n${jsonOf(call)}\n\`\`\`\n</tool_call>`),
    Granite: (calls) => `<|tool_call|>[${calls.map(jsonOf).join(', ')}]`,
    Phi: (calls) => `<|tool_call|>[${calls.map(jsonOf).join(', ')}]<|/tool_call|>`,
    Nemotron: (calls) => `<TOOLCALL>[${calls.map(jsonOf).join(', ')}]</TOOLCALL>`,
    Jamba: (calls) => `<tool_calls>[\n${calls.map(jsonOf).join(',\n')}\n]</tool_calls>`,
    Cohere: (calls) =>
      `<|START_ACTION|>${JSON.stringify(calls.map(({ name, arguments: parameters }, index) => ({ tool_call_id: String(index), tool_name: name, parameters })))}<|END_ACTION|>`,
    InternLM: each((call) => `<|action_start|><|plugin|>\n${jsonOf(call)}<|action_end|>`),
    Llama3: each(
      ({ name, arguments: parameters }) => `<|python_tag|>${JSON.stringify({ type: 'function', name, parameters })}`,
      '; ',
    ),
    Groq: (calls) =>
      `<tool-use>${JSON.stringify({ tool_calls: calls.map(({ name, arguments: parameters }) => ({ id: 'pending', type: 'function', function: { name }, parameters })) })}</tool-use>`,
    MistralList: (calls) => `[TOOL_CALLS][${calls.map(jsonOf).join(', ')}]`,
  },
  'function-json': {
    Llama: each((call) => `<function=${call.name}>${argsOf(call)}</function>`, '\n'),
    'without an angle': each((call) => `<function=${call.name}${argsOf(call)}</function>`),
    'closed by an opening tag': each((call) => `<function=${call.name}>${argsOf(call)}<function>`),
    'in brackets': each((call) => `<function=${call.name}(${argsOf(call)})></function>`),
  },
  invoke: {
    MiniMax: (calls) =>
      `<minimax:tool_call>\n${calls.map((call) => `<invoke name="${call.name}">\n${fields(call, (name, value) => `<parameter name="${name}">${padded(value)}</parameter>\n`)}</invoke>`).join('\n')}\n</minimax:tool_call>`,
    Claude: (calls) =>
      `<function_calls>\n${calls.map((call) => `<invoke name="${call.name}">\n${fields(call, (name, value) => `<parameter name="${name}">${padded(value)}</parameter>\n`)}</invoke>`).join('\n')}\n</function_calls>`,
    DeepSeek: (calls) =>
      `<｜DSML｜function_calls>${calls.map((call) => `<｜DSML｜invoke name="${call.name}">${fields(call, (name, value) => `<｜DSML｜parameter name="${name}" string="${typeof value === 'string'}">${padded(value)}</｜DSML｜parameter>`)}</｜DSML｜invoke>`).join('')}</｜DSML｜function_calls>`,
    'function elements': each(
      (call) =>
        `<function name='${call.name}'>${fields(call, (name, value) => `<parameter name='${name}'>${padded(value)}</parameter>`)}</function>`,
      '\n',
    ),
  },
  'arg-pairs': {
    GLM: each(
      (call) =>
        `<tool_call>${call.name}\n${fields(call, (name, value) => `<arg_key>${name}</arg_key>\n<arg_value>${inText(value)}</arg_value>\n`)}</tool_call>`,
      '\n',
    ),
  },
  mistral: {
    Mistral: each((call) => `[TOOL_CALLS]${call.name}[ARGS]${argsOf(call)}`),
    'with ids': each((call, index) => `[TOOL_CALLS]${call.name}[CALL_ID]abcdefgh${index}[ARGS]${argsOf(call)}`),
    'without the first token': each((call) => `${call.name}[ARGS]${argsOf(call)}`, '\n'),
    'without the second token': each((call) => `[TOOL_CALLS]${call.name}${argsOf(call)}`),
  },
  kimi: {
    Kimi: (calls) =>
      `<|tool_calls_section_begin|>${calls.map((call, index) => `<|tool_call_begin|>functions.${call.name}:${index}<|tool_call_argument_begin|>${argsOf(call)}<|tool_call_end|>`).join('')}<|tool_calls_section_end|>`,
  },
  deepseek: {
    V3: (calls) =>
      `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}\n\`\`\`json\n${argsOf(call)}\n\`\`\`<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`,
    'V3.1': (calls) =>
      `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>${argsOf(call)}<｜tool▁call▁end｜>`).join('')}<｜tool▁calls▁end｜><｜end▁of▁sentence｜>`,
  },
  channels: {
    'gpt-oss': each(
      (call) =>
        `<|start|>assistant<|channel|>commentary to=functions.${call.name} <|constrain|>json<|message|>${argsOf(call)}<|call|>`,
    ),
    'recipient first': each(
      (call) =>
        `<|start|>assistant to=functions.${call.name}<|channel|>commentary json<|message|>${argsOf(call)}<|call|>`,
    ),
    'without tokens': each((call) => `assistantcommentary to=functions.${call.name} json${argsOf(call)}`),
  },
  gemma: {
    Gemma4: each((call) => `<|tool_call>${gemmaCall(call, '<|"|>')}<tool_call|>`),
    FunctionGemma: each((call) => `<start_function_call>${gemmaCall(call, '<escape>')}<end_function_call>`),
  },
  'python-calls': {
    LFM2: (calls) => `<|tool_call_start|>[${calls.map(pythonCall).join(', ')}]<|tool_call_end|>`,
    Llama4: (calls) => `<|python_start|>[${calls.map(pythonCall).join(', ')}]<|python_end|>`,
    list: (calls) => `[${calls.map(pythonCall).join(', ')}]`,
    Gemma3: (calls) => `\`\`\`tool_code\n${calls.map(pythonCall).join('\n')}\n\`\`\``,
    Gemini: (calls) =>
      `\`\`\`tool_code\n${calls.map((call) => `print(default_api.${pythonCall(call)})`).join('\n')}\n\`\`\``,
    Llama3: each((call) => `<|python_tag|>${pythonCall(call).replace('(', '.call(')}`),
  },
  'named-tags': {
    Cline: each(
      (call) =>
        `<${call.name}>\n${fields(call, (name, value) => `<${name}>${padded(value)}</${name}>\n`)}</${call.name}>`,
      '\n',
    ),
  },
  labelled: {
    ReAct: each((call) => `Action: ${call.name}\nAction Input: ${argsOf(call)}`, '\n'),
    QwenAgent: each((call) => `✿FUNCTION✿: ${call.name}\n✿ARGS✿: ${argsOf(call)}`, '\n'),
    Functionary: each((call) => `>>>${call.name}\n${argsOf(call)}`, '\n'),
  },
  json: {
    bare: each(jsonOf, '\n'),
    list: (calls) => `[${calls.map(jsonOf).join(',\n')}]`,
    fence: (calls) => `\`\`\`json\n${calls.map(jsonOf).join('\n')}\n\`\`\``,
    indented: (calls) =>
      `\`\`\`\n${calls.map(({ name, arguments: args }) => JSON.stringify({ name, arguments: args }, null, 2)).join('\n')}\n\`\`\``,
    OpenAI: (calls) =>
      JSON.stringify({
        tool_calls: calls.map((call, index) => ({
          id: `c${index}`,
          type: 'function',
          function: { name: call.name, arguments: argsOf(call) },
        })),
      }),
  },
};

/** All forms: the format, its variant, and the writer. */
export const writtenForms = Object.entries(writers).flatMap(([format, variants]) =>
  Object.entries(variants).map(([variant, write]) => [format as TextCallFormat, variant, write] as const),
);
