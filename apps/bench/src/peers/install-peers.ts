import { execFile } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Compared packages. They are no dependencies of this repository: some run scripts when they are installed. */
const dependencies = {
  '@earendil-works/pi-agent-core': '0.87.1',
  '@langchain/langgraph': '1.7.3',
  '@langchain/langgraph-checkpoint-sqlite': '1.0.4',
  '@langchain/openai': '1.6.0',
  '@openai/agents': '0.20.0',
};

/** Installs the compared packages outside of the workspace, with their loops next to them. Returns the directory. */
export async function installPeers(): Promise<string> {
  const directory = join(homedir(), '.cache', 'varve-bench-peers');
  await mkdir(directory, { recursive: true });
  const manifest = { private: true, type: 'module', dependencies };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  await cp(fileURLToPath(new URL('../../peers', import.meta.url)), directory, { recursive: true });
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
  await promisify(execFile)('npm', args, { cwd: directory });
  return directory;
}
