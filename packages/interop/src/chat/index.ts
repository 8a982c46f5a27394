export { chatFormat } from './chat-format.ts';
export { readChat } from './read-chat.ts';
export { writeChat, type WrittenChat } from './write-chat.ts';
