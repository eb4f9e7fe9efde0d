import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Platform } from '../../src/compose.ts'
import type { LocalPlatformOptions } from '../../src/system.ts'

export interface ReusedPlatform {
  /** A platform for one command. Its `close` leaves it open for the next command. */
  open(given: LocalPlatformOptions): Promise<Platform>
  /** Closes it, as before a server starts on the folder. The next command opens it again. */
  close(): Promise<void>
}

/**
 * Keeps the platform of a data folder open between the commands of a test: opening it takes longer than most commands.
 * It is opened again whenever a file of the folder was changed by somebody else, or a command asks for other settings.
 * The built program, which opens it each time, is tested in test/e2e; PARLEY_TEST_REOPEN=1 has every test do so.
 */
export function reusePlatform(
  dataDir: string,
  open: (given: LocalPlatformOptions) => Promise<Platform>,
  reopens = false,
): ReusedPlatform {
  let saved:
    | { readonly key: string; readonly platform: Promise<Platform>; users: number; mark: string | undefined }
    | undefined

  async function close(): Promise<void> {
    const before = saved
    saved = undefined
    await (await before?.platform)?.close()
  }

  return {
    close,
    async open(given) {
      const { log, ...settings } = given
      if (log || reopens || process.env.PARLEY_TEST_REOPEN) return open(given)
      const key = JSON.stringify(settings)
      if (saved && (saved.key !== key || (saved.users === 0 && saved.mark !== markOf(dataDir)))) await close()
      saved ??= { key, platform: open(given), users: 0, mark: undefined }
      const mine = saved
      mine.users++
      try {
        const platform = await mine.platform
        let isClosed = false
        return {
          ...platform,
          async close() {
            if (isClosed) return
            isClosed = true
            mine.users--
            mine.mark = markOf(dataDir)
          },
        }
      } catch (error) {
        if (saved === mine) saved = undefined
        throw error
      }
    },
  }
}

/** The state of the files of a folder, but for what the database writes. */
function markOf(folder: string): string {
  try {
    return readdirSync(folder)
      .filter((it) => !/\.db-(wal|shm)$/.test(it))
      .map((it) => {
        const { ino, size, mtimeMs } = statSync(join(folder, it))
        return it.endsWith('.db') ? `${it} ${ino}` : `${it} ${ino} ${size} ${mtimeMs}`
      })
      .join('\n')
  } catch {
    return 'unreadable'
  }
}
