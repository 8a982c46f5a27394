import { spawn } from 'node:child_process';

/** Programs that open an address, none of which is a shell: an address contains characters that a shell interprets. */
const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an address in the browser of the person. Does nothing without one. */
export function openBrowser(url: URL, env: Readonly<Record<string, string | undefined>>): void {
  const [program = '', ...args] = openers[process.platform] ?? ['xdg-open'];
  // A relative search path would name programs of the workspace.
  const child = spawn(program, [...args, url.href], { cwd: '/', stdio: 'ignore', detached: true, env });
  child.on('error', () => undefined);
  child.unref();
}
