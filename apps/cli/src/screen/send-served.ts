import { text, type Content } from '@varve/events';
import { filesIn, isImageName } from '../opening/attached-files.ts';
import { attachedImages } from './attached-images.ts';
import type { Screen } from './screen.ts';
import type { ServedConversation } from './served-conversation.ts';

/** Message for a conversation that a server holds. */
export interface ServedMessage {
  readonly message: string;
  /** True for an objective. */
  readonly goal: boolean;
  /** Outputs of commands that the message contains. */
  readonly unread: readonly string[];
  /** Directory in which paths of images are. */
  readonly workspace: string;
}

/** Sends a message with its images to the server, and prints what of it is only text there. */
export async function sendServed(
  served: ServedConversation,
  { message, goal, unread, workspace }: ServedMessage,
  screen: Screen,
): Promise<void> {
  // The server knows whether its model sees images.
  const model = { name: 'The model', capabilities: { vision: true } };
  const { content, problems } = await attachedImages(message, model, workspace, screen.io);
  const mentions = filesIn(message).flatMap(({ path, isMention }) => (isMention && !isImageName(path) ? [path] : []));
  for (const problem of problems) screen.print(problem, 'yellow');
  if (mentions.length > 0)
    screen.print(`${mentions.join(', ')} is only text: a server works on this conversation.`, 'yellow');
  const attached: readonly Content[] = [...content, ...unread.map((each) => text(each))];
  if (!goal) return served.send([text(message), ...attached]);
  if (attached.length > 0) await served.add(attached);
  await served.pursue(message);
}
