import { InteropError } from '../error.ts';
import type { LogFormat } from '../common/log-format.ts';

/** Reason why a pickle is not read. */
export const pickleReason =
  'It is a Python pickle, which can run any code when it is read; the state follows from the events instead.';

/** Returns true for the name of a pickled state of V0, such as `agent_state.pkl`. */
export function isPickle(path: string): boolean {
  return /\.(pkl|pickle)$/i.test(path);
}

/** Returns true for the base64 text of a pickle: it starts with the bytes of protocol 2 to 5. */
export function isPickleText(text: string): boolean {
  return /^gA[I-X]/.test(text.trimStart());
}

/** Pickled state of OpenHands V0. It is recognised and refused, and never read. */
export const pickledStateFormat: LogFormat = {
  name: 'v0-state',
  async matches(files) {
    const [path = ''] = files.paths;
    if (files.paths.length !== 1) return false;
    return isPickle(path) || isPickleText(await files.start(path));
  },
  async read({ name }) {
    throw new InteropError('unsupported', `${name} is not imported. ${pickleReason}`);
  },
};
