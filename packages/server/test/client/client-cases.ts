import { conversationCases } from './conversations-cases.ts';
import { informationCases } from './information-cases.ts';
import type { ClientCases } from './open-client.ts';
import { runCases } from './runs-cases.ts';
import { settingsCases } from './settings-cases.ts';
import { workspaceCases } from './workspace-cases.ts';

/** Uses of the official client. */
export const clientCases: ClientCases = {
  ...informationCases,
  ...conversationCases,
  ...runCases,
  ...settingsCases,
  ...workspaceCases,
};
