import { join } from 'node:path'

/** What is left to do of a restoration once its rows are there; without it nothing is. */
export const pendingRestoreFile = (dataDir: string): string => join(dataDir, 'restoring.json')
