import type { PromptContext } from '../prompt.ts';

/** Returns the section about the machine and the date. */
export function environment({ workspace, platform, today }: PromptContext): string {
  return `Working directory: ${workspace}\nOperating system: ${platform}\nToday: ${today}`;
}
