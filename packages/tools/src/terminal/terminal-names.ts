/** What the names of the private directories of terminals begin with. */
export const directoryPrefix = 'varve-terminal-';

/** The file in such a directory that tells who owns it. */
export const ownerFile = 'owner';

/** The file, in the directory of a shell, that tells its process. */
export const shellFile = 'shell';

/** The variable by which programs of a terminal can be told from others: the directory of that terminal. */
export const directoryVariable = 'VARVE_TERMINAL';
