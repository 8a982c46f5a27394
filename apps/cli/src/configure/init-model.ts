import {
  callOnce,
  listModels,
  LlmError,
  looksLikeKey,
  modelFrom,
  type LlmErrorCode,
  type ModelReply,
} from '@varve/llm';
import { nameProxy } from '@varve/llm/network';
import { meterCalls } from '@varve/llm/wrappers';
import { isLoopback } from '@varve/text';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fitted } from '../terminal/columns.ts';
import { styled } from '../terminal/output.ts';
import { firstRow } from '../terminal/rows.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { keepAnyway, type Questions } from './init-questions.ts';
import type { ChosenKey, ChosenServer } from './init-server.ts';

/** Most columns of the name of a model in a list, and in a question. */
const maxName = 300;
const maxQuoted = 40;
/** Most rows of the list of models. */
const maxListed = 20;

/** Asks for one of the models of the server, and returns its name. */
export async function chooseModel(
  server: ChosenServer,
  { value: apiKey }: ChosenKey,
  questions: Questions,
): Promise<string> {
  const { options, ask, io } = questions;
  const isReachable = !options.offline && (apiKey !== undefined || isLoopback(server.baseUrl));
  const key = apiKey === undefined ? {} : { apiKey };
  const listed = isReachable ? ((await listModels({ baseUrl: server.baseUrl, ...key })) ?? []) : [];
  const first = isLoopback(server.baseUrl) ? listed[0] : server.name === 'openai' ? 'gpt-5.1' : undefined;
  if (options.model === undefined) printModels(listed, io);
  const question = `Model${first === undefined ? '' : ` [${fitted(first, maxQuoted)}]`}: `;
  const name = options.model ?? ((await ask(question)) || first);
  if (name === undefined) throw new CliError(exitCodes.usage, 'No model was named.', 'Name it with --model.');
  checkName(name, apiKey);
  if (listed.length > 0 && !isListed(name, listed)) await keepAnyway(unknownModel(name, server, listed), questions);
  return name;
}

/** A server names its models as it likes: each name has a row of its own, whose beginning is not the server's. */
function printModels(listed: readonly string[], { stderr }: TerminalIo): void {
  for (const name of listed.slice(0, maxListed)) {
    stderr.line(styled('dim', firstRow(`  ${fitted(name, maxName)}`, stderr.columns - 1)));
  }
  if (listed.length > maxListed) stderr.line(styled('dim', `  … ${listed.length - maxListed} more`));
}

/** @throws {CliError} `usage` for what is no name: an address, or a key, which would be stored as it is. */
function checkName(name: string, apiKey: string | undefined): void {
  if (/^[a-z]+:\/\//i.test(name)) {
    throw new CliError(exitCodes.usage, `"${name}" is an address, not the name of a model.`);
  }
  if (name === apiKey || looksLikeKey(name)) {
    throw new CliError(exitCodes.usage, 'The name of the model looks like a key.', 'Nothing was saved.');
  }
}

/** Servers leave out the usual tag, and some list names below a folder. */
function isListed(name: string, listed: readonly string[]): boolean {
  return [name, `${name}:latest`, `models/${name}`].some((each) => listed.includes(each));
}

function unknownModel(name: string, { baseUrl }: ChosenServer, listed: readonly string[]): CliError {
  const words = name
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 2);
  const similar = listed.filter((each) => words.some((word) => each.toLowerCase().includes(word)));
  const examples = (similar.length > 0 ? similar : listed).slice(0, 5).map((each) => fitted(each, maxQuoted));
  const hint = `It has ${listed.length}: ${examples.join(', ')}${examples.length < listed.length ? ', …' : ''}`;
  return new CliError(exitCodes.usage, `The server ${baseUrl} does not list the model ${name}.`, hint);
}

/** Longest wait for the call: a server on this machine loads the model first. */
const patienceMs = 120_000;

/** Failures that show that an answer is wrong; a server that cannot be reached shows nothing about it. */
const refusals: ReadonlySet<LlmErrorCode> = new Set(['unauthenticated', 'unknown-model', 'bad-request', 'unsupported']);

/** Calls the model once, and prints its use of tokens and their price, or why it failed. */
export async function tryModel(reference: string, server: ChosenServer, key: ChosenKey, questions: Questions) {
  const { options, io } = questions;
  if (options.offline) return;
  if (key.value === undefined && !isLoopback(server.baseUrl)) {
    io.stderr.line(styled('yellow', `The model was not called: ${key.name} has no value.`));
    return;
  }
  io.stderr.line(styled('dim', 'Calling the model once …'));
  try {
    const model = modelFrom(reference, {
      ...(!server.isProvider && { baseUrl: server.baseUrl }),
      ...(key.value !== undefined && { apiKey: key.value }),
    });
    const reply = await callOnce(meterCalls()(nameProxy(io.env)(model)), AbortSignal.timeout(patienceMs));
    io.stderr.line(styled('green', `It answered: ${useOf(reply)}.`));
  } catch (error) {
    if (!(error instanceof LlmError)) throw error;
    const of = error.code === 'unauthenticated' ? ` The key was ${key.name}.` : '';
    const message = `${error.message}${of}`;
    if (refusals.has(error.code)) await keepAnyway(new CliError(exitCodes.model, message), questions);
    else io.stderr.line(styled('yellow', `${message} The answers are saved without a check.`));
  }
}

function useOf({ usage, costUsd }: ModelReply): string {
  const { input_tokens: input, output_tokens: output } = usage ?? { input_tokens: 0, output_tokens: 0 };
  const cost = costUsd === undefined ? 'its price is not known' : `$${costUsd.toFixed(6)}`;
  return `${input} tokens in, ${output} out, ${cost}`;
}
