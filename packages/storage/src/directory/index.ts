export { directoryScheme, directoryStore } from './directory-store.ts';
