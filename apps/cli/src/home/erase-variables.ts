import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

/** Positions of the addresses of the environment in `/proc/self/stat`, after the name of the program. */
const startField = 47;
const endField = 48;

/**
 * Removes variables from the environment of the process and from its record that other programs can read
 * (`/proc/PID/environ`): to remove a variable does not change that record, so its bytes are overwritten in the memory
 * of the process. Returns false on systems without such a record or where it cannot be changed; the variables are then
 * still set. Takes about a millisecond; a process that replaces itself takes the time of a start of Node.
 */
export function eraseVariables(names: ReadonlySet<string>): boolean {
  if (process.platform !== 'linux') return false;
  try {
    const memory = openSync('/proc/self/mem', 'r+');
    try {
      const record = recordIn(memory);
      // Before the bytes are overwritten, which the process would read as other variables.
      const values = new Map([...names].map((name) => [name, process.env[name]]));
      for (const name of names) delete process.env[name];
      if (overwrite(memory, record, names)) return true;
      for (const [name, value] of values) if (value !== undefined) process.env[name] = value;
      return false;
    } finally {
      closeSync(memory);
    }
  } catch {
    return false;
  }
}

/** Bytes of the record: each variable, followed by a zero. */
interface EnvironmentRecord {
  readonly address: number;
  readonly bytes: Buffer;
}

function recordIn(memory: number): EnvironmentRecord {
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  const address = Number(fields[startField]);
  const bytes = Buffer.alloc(Number(fields[endField]) - address);
  readSync(memory, bytes, 0, bytes.length, address);
  return { address, bytes };
}

/** Returns whether the record that other programs read has the variables no more. */
function overwrite(memory: number, { address, bytes }: EnvironmentRecord, names: ReadonlySet<string>): boolean {
  for (let start = 0; start < bytes.length;) {
    const zero = bytes.indexOf(0, start);
    const end = zero === -1 ? bytes.length : zero;
    const [name = ''] = bytes.toString('utf8', start, end).split('=', 1);
    if (names.has(name)) writeSync(memory, Buffer.alloc(end - start), 0, end - start, address + start);
    start = end + 1;
  }
  const left = readFileSync('/proc/self/environ', 'utf8').split('\0');
  return left.every((variable) => !names.has(variable.split('=', 1)[0] ?? ''));
}
