export { fernet, isToken, keyOfPassphrase, type Cipher, type FernetOptions } from './fernet.ts';
export type { KeychainEntry } from './keychain.ts';
export { valueOf, type LookupOptions } from './lookup.ts';
export { privateRecords, type PrivateRecords, type PrivateRecordsOptions } from './private-records.ts';
export { moveSecretKey, secretKeyFile, type KeyPlace, type SecretKeyOptions } from './secret-key.ts';
export {
  exposedSource,
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
export { secretStore, type SecretListing, type SecretStore, type SecretStoreOptions } from './secret-store.ts';
export { secretsForRun, type RunSecrets } from './secrets-for-run.ts';
