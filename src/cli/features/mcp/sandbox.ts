import { join } from 'node:path'
import { makeFolder } from '../../../node/make-folder.ts'
import { createTemporaryFolder } from '../../../node/temporary-folder.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { type System, withParts } from '../../program/system.ts'

/** Variables that a command in the sandbox sees. Keys, profiles and language models of the user are not among them. */
const visible = ['TZ', 'LANG', 'LC_ALL', 'LC_TIME', 'AI_AGENT', 'PARLEY_AGENT', 'PARLEY_NO_INPUT'] as const

/** A platform to practise on. */
export interface Sandbox {
  /** Returns the system of its commands. The platform is created at the first call. */
  open(): Promise<System>
  /** Deletes the platform. */
  close(): Promise<void>
}

const refuse = async (): Promise<never> => {
  throw usageError('The sandbox starts no programs and reaches no other platform.')
}

/**
 * Creates a sandbox: a temporary local platform that connects to no other server, with its own configuration, journal and
 * working folder. Its clock is frozen until a command advances it.
 */
export function createSandbox(system: System): Sandbox {
  const folder = createTemporaryFolder('parley-sandbox-')
  let opening: ReturnType<System['openTemporaryPlatform']> | undefined
  return {
    async open() {
      opening ??= system.openTemporaryPlatform({
        frozenAt: new Date(system.now()).toISOString(),
        language: {},
        isOffline: true,
      })
      const platform = await opening
      const cwd = join(folder.path, 'work', 'empty')
      makeFolder(cwd)
      return withParts(system, {
        env: {
          ...Object.fromEntries(visible.map((it) => [it, system.env[it]])),
          HOME: folder.path,
          PARLEY_DATA_DIR: join(folder.path, 'data'),
          PARLEY_CONFIG_DIR: join(folder.path, 'config'),
        },
        cwd,
        home: folder.path,
        openPlatform: async () => ({ ...platform, close: async () => {} }),
        openTemporaryPlatform: refuse,
        connect: refuse,
        serve: refuse,
        startAgain: refuse,
        dataTransfer: refuse,
        run: refuse,
      })
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close()
      folder.remove()
    },
  }
}
