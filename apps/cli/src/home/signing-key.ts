import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createAtomically, makeDirectories } from '@varve/files';
import { StorageError, ed25519Signer, type Signer } from '@varve/storage';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import { fileProblem } from '../failures/file-problem.ts';
import { pathIn, varveHome } from './varve-home.ts';
import { settingsFor } from './settings.ts';
import { shellWord } from '@varve/text';
import type { TerminalIo } from '../terminal/terminal-io.ts';

/** Rights of anyone but the owner of a file. */
const othersMask = 0o077;

/** Returns the file of the signing key: the setting, else `signing-key.pem` in varve's data directory. */
export async function signingKeyFile(io: TerminalIo): Promise<string> {
  const file = (await settingsFor(io)).get('signing.key_file');
  return file ? pathIn(io, file) : join(varveHome(io), 'signing-key.pem');
}

/**
 * Creates an Ed25519 key in a new file that only its owner can read.
 *
 * @throws {CliError} `usage` if the file exists or cannot be written.
 */
export async function createSigningKey(io: TerminalIo): Promise<Signer> {
  const path = await signingKeyFile(io);
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  try {
    makeDirectories(dirname(path), 0o700);
    await createAtomically(path, pem, { mode: 0o600 });
  } catch (error) {
    const hint = existsSync(path) ? '`varve key show` prints an existing key.' : undefined;
    throw new CliError(exitCodes.usage, fileProblem(path, 'written', error), hint);
  }
  return ed25519Signer(pem);
}

/**
 * Reads the signing key.
 *
 * @throws {CliError} `usage` if it is missing, invalid, or accessible to other users.
 */
export async function readSigningKey(io: TerminalIo): Promise<Signer> {
  const path = await signingKeyFile(io);
  try {
    const { mode } = await stat(path);
    // Windows has no such rights.
    if (process.platform !== 'win32' && (mode & othersMask) !== 0) {
      throw new CliError(
        exitCodes.usage,
        `Other users can access the signing key ${path}.`,
        `To correct that: chmod 600 ${shellWord(path)}`,
      );
    }
    return ed25519Signer(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof StorageError) throw new CliError(exitCodes.usage, `${path}: ${error.message}`);
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new CliError(exitCodes.usage, fileProblem(path, 'read', error), '`varve key` creates a signing key.');
  }
}
