export {
  readConfiguration,
  type Configuration,
  type ConfigurationFile,
  type ConfigurationOptions,
  type ConfigurationScope,
} from './configuration.ts';
export { describeChange } from './describe-change.ts';
export {
  trustStore,
  type TrustedWorkspace,
  type TrustStatus,
  type TrustStore,
  type TrustStoreOptions,
} from './trust-store.ts';
export { isTrustedFile } from './trusted-file.ts';
export { configurationDirectories, trustSubject, type TrustDirectories, type TrustSubject } from './trust-subject.ts';
export { permissionStore, type PermissionStore } from '../permissions/permission-store.ts';
