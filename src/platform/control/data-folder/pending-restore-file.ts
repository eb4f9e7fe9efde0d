import { join } from 'node:path'

/** Returns the file with the remaining steps of a restore, once its rows are in the database. */
export const pendingRestoreFile = (dataDir: string): string => join(dataDir, 'restoring.json')
