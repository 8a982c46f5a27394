import type { SessionCommand } from '../session-command.ts';
import { runCaptured, storedId } from './captured.ts';

/** Writes the conversation into a file. */
export const exportSession: SessionCommand = {
  name: 'export',
  argument: 'FILE',
  description: 'writes the conversation with its proof into a new file, or as a page into one that ends with .html',
  async run(session, file) {
    const id = storedId(session);
    if (id === undefined) return;
    if (file === '') session.screen.print('Name the file: /export FILE', 'yellow');
    else await runCaptured(['export', id, file], session);
  },
};
