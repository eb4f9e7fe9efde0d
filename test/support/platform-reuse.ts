import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LocalPlatformOptions } from '../../src/cli/program/system.ts'
import type { LogFields } from '../../src/contract/endpoint/http-message.ts'
import type { Platform } from '../../src/platform/platform-settings.ts'

export interface ReusedPlatform {
  /** Opens a platform for one command. Its `close` leaves it open for the next command. */
  open(given: LocalPlatformOptions): Promise<Platform>
  /** Closes the platform, for example before a server starts on the folder. The next command opens it again. */
  close(): Promise<void>
}

/**
 * Reuses the platform of a data folder for all commands of a test, because opening it takes longer than most commands.
 * It is opened again if another process changed a file of the folder, or a command needs other settings. The built
 * program, which opens it each time, is tested in test/e2e. With PARLEY_TEST_REOPEN=1, every test opens it each time.
 */
export function reusePlatform(
  dataDir: string,
  open: (given: LocalPlatformOptions) => Promise<Platform>,
  reopens = false,
): ReusedPlatform {
  let saved:
    | {
        readonly key: string
        readonly platform: Promise<Platform>
        users: number
        mark: string | undefined
        /** Log of the last command. */
        log: LocalPlatformOptions['log']
      }
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
      if (reopens || process.env.PARLEY_TEST_REOPEN) return open(given)
      const key = JSON.stringify(settings)
      if (saved && (saved.key !== key || (saved.users === 0 && saved.mark !== markOf(dataDir)))) await close()
      const current = (text: string, fields?: LogFields): void => saved?.log?.(text, fields)
      saved ??= { key, platform: open({ ...settings, log: current }), users: 0, mark: undefined, log }
      const mine = saved
      mine.log = log
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

/** Returns the state of the files of a folder, except those that the database writes. */
function markOf(folder: string): string {
  try {
    return readdirSync(folder)
      .filter((it) => !/\.db-(wal|shm)$/.test(it))
      .map((name) => {
        const { ino, size, mtimeMs } = statSync(join(folder, name))
        return name.endsWith('.db') ? `${name} ${ino}` : `${name} ${ino} ${size} ${mtimeMs}`
      })
      .join('\n')
  } catch {
    return 'unreadable'
  }
}
