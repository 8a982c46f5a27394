import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CliError } from '../failures/cli-error.ts';
import { exitCodes } from '../failures/exit-codes.ts';
import type { TerminalIo } from '../terminal/terminal-io.ts';
import { imageTypeOf, maxImageBytes } from '../opening/image-types.ts';

const powershell =
  'Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); ' +
  'if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); ' +
  '[Convert]::ToBase64String($m.ToArray()) }';

/** Programs that print the image of the clipboard, and how: add a row. */
const programs: readonly (readonly [name: string, args: readonly string[], read: (output: Buffer) => Buffer])[] = [
  ['wl-paste', ['--no-newline', '--type', 'image/png'], bytes],
  ['xclip', ['-selection', 'clipboard', '-t', 'image/png', '-o'], bytes],
  ['pngpaste', ['-'], bytes],
  [
    'osascript',
    ['-e', 'the clipboard as «class PNGf»'],
    (output) => Buffer.from(/PNGf([\dA-F]+)/.exec(output.toString())?.[1] ?? '', 'hex'),
  ],
  [
    'powershell.exe',
    ['-NoProfile', '-STA', '-Command', powershell],
    (output) => Buffer.from(output.toString(), 'base64'),
  ],
];

/** Images of the clipboard as files, until they are disposed. */
export class ClipboardImages implements AsyncDisposable {
  readonly #env: TerminalIo['env'];
  readonly #directories: string[] = [];

  constructor({ env }: TerminalIo) {
    this.#env = env;
  }

  /** Writes the image of the clipboard, and returns its path. @throws {CliError} `usage` without one. */
  async add(): Promise<string> {
    let hasProgram = false;
    for (const [name, args, read] of programs) {
      const output = await outputOf(name, args, this.#env);
      hasProgram ||= output !== undefined;
      const image = output && read(output);
      const type = image && imageTypeOf(image);
      if (type) return this.#write(image, type);
    }
    const names = programs.map(([name]) => name).join(', ');
    const problem = hasProgram ? 'The clipboard has no image.' : `An image of the clipboard needs one of ${names}.`;
    throw new CliError(exitCodes.usage, problem);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#directories.map(async (path) => rm(path, { recursive: true, force: true })));
  }

  async #write(image: Buffer, type: string): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'varve-image-'));
    this.#directories.push(directory);
    const path = join(directory, `clipboard.${type.replace('image/', '')}`);
    await writeFile(path, image, { mode: 0o600 });
    return path;
  }
}

/** Returns what a program prints, nothing if it fails, and undefined if there is no such program. */
async function outputOf(name: string, args: readonly string[], env: TerminalIo['env']): Promise<Buffer | undefined> {
  // A relative search path would name programs of the workspace.
  const options = { cwd: '/', encoding: 'buffer', env, maxBuffer: 4 * maxImageBytes, timeout: 5000 } as const;
  return new Promise((resolve) => {
    execFile(name, args, options, (error, stdout) => {
      if (error?.code === 'ENOENT') resolve(undefined);
      else resolve(error ? Buffer.alloc(0) : stdout);
    });
  });
}

function bytes(output: Buffer): Buffer {
  return output;
}
