export { fernet, isToken, keyOfPassphrase, type Cipher } from './fernet.ts';
export { valueOf } from './lookup.ts';
export { mcpLogins } from './mcp-logins.ts';
export { privateRecords, type PrivateRecords } from './private-records.ts';
export { moveSecretKey, type KeyPlace } from './secret-key.ts';
export {
  isOwnedSecret,
  mcpSecretPrefix,
  modelKeyPrefix,
  receivedSource,
  receivedText,
  redacted,
  secretName,
  secretSource,
  type Exposure,
  type SecretSource,
} from './secret-source.ts';
export { secretStore, type SecretStore } from './secret-store.ts';
export { secretsForRun } from './secrets-for-run.ts';
