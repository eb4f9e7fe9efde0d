import { makeFolder } from '../../node/make-folder.ts'
import { StoreError } from '../../store/database/store-error.ts'

/** Creates a data folder if it is missing. @throws StoreError */
export function makeDataFolder(dataDir: string): void {
  try {
    makeFolder(dataDir)
  } catch (error) {
    const message = `Could not create the data folder ${dataDir}: ${(error as Error).message}.`
    throw new StoreError('unopenable', message, error)
  }
}
