import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { tool } from '@langchain/core/tools';
import { note } from './note.mjs';

/** The loop of LangGraph, which stores a checkpoint of every step in SQLite. */
export async function run({ url, steps, dir, onStep }) {
  let step = 0;
  const execute = async () => {
    onStep();
    step += 1;
    return note.result;
  };
  const { name, description, parameters } = note;
  const configuration = { baseURL: `${url}/v1` };
  const agent = createReactAgent({
    llm: new ChatOpenAI({ model: 'bench', apiKey: 'none', configuration }),
    tools: [tool(execute, { name, description, schema: parameters })],
    checkpointSaver: new SqliteSaver(databaseAt(join(dir, 'bench.db'))),
  });
  const options = { recursionLimit: 2 * steps, configurable: { thread_id: '1' } };
  await agent.invoke({ messages: [{ role: 'user', content: note.task }] }, options).catch((error) => {
    if (step < steps) throw error;
  });
}

/** Opens a database of Node with the methods of `better-sqlite3`, which would have to be compiled. */
function databaseAt(path) {
  const database = new DatabaseSync(path);
  const transaction =
    (work) =>
    (...values) => {
      database.exec('BEGIN');
      work(...values);
      database.exec('COMMIT');
    };
  return Object.assign(database, { pragma: (sql) => database.exec(`PRAGMA ${sql}`), transaction });
}
