export { type Configuration, type ConfigurationScope } from './configuration.ts';
export { describeChange } from './describe-change.ts';
export { trustStore, type TrustStore } from './trust-store.ts';
export { isTrustedFile } from './trusted-file.ts';
export { configurationDirectories, trustSubject, type TrustSubject } from './trust-subject.ts';
export { permissionStore, type PermissionStore } from '../permissions/permission-store.ts';
