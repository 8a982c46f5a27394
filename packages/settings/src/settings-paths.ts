import { join } from 'node:path';

/** Files of settings in varve's data directory. */
export interface SettingsPaths {
  /** Lock of all writers of settings, also of those of a project. */
  readonly lockFile: string;
  readonly profiles: string;
  readonly agentProfiles: string;
  readonly capabilities: string;
}

/** Returns the files below varve's data directory. */
export function settingsPaths(home: string): SettingsPaths {
  return {
    lockFile: join(home, 'settings.lock'),
    profiles: join(home, 'profiles'),
    agentProfiles: join(home, 'agent-profiles'),
    capabilities: join(home, 'capabilities.json'),
  };
}
