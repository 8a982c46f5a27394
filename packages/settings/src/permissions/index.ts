export { permissionStore, type PermissionStore, type RuleScope, type StoredRule } from './permission-store.ts';
