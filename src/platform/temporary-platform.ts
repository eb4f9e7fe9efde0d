import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PlainRequest, PlainResponse } from '../contract/endpoint/http-message.ts'
import { createTemporaryFolder } from '../node/temporary-folder.ts'
import { openPlatform, requireValidSettings } from './compose.ts'
import { type Environment, platformSettings } from './environment-settings.ts'
import type { Platform, PlatformSettings } from './platform-settings.ts'

/** Options of a platform that is deleted when it is closed. */
export interface TemporaryPlatformOptions {
  /** Sample data, in the format of `parley server export` (default: the built-in one). */
  readonly data?: object
  /** The clock is frozen at this time, ISO 8601. */
  readonly frozenAt: string
  /** Language model of the assistants (default: the local one). */
  readonly language: {
    readonly url?: string
    readonly model?: string
    readonly key?: string | undefined
    /** Maximum seconds without data from the model. */
    readonly timeout?: number
    readonly script?: string
  }
  /** Answers the requests of tools and automations instead of the network. URLs are absolute. */
  readonly answer?: (request: PlainRequest) => Promise<PlainResponse>
  /** Connects to no other server: webhooks, tools, automations and mail end with an error. */
  readonly isOffline?: boolean
  readonly log?: (text: string) => void
}

type ProcessSettings = Pick<PlatformSettings, 'pid' | 'isAlive'> & {
  readonly version: string
  readonly env: Environment
  readonly os: string
  /** Path of the template for new databases (default: the one of the environment). */
  readonly template?: string
}

/** How the names of temporary folders begin. Those of killed processes are found by it, with the process id after it. */
const prefix = 'parley-temporary-'
let isSwept = false

/** Removes the folders of processes that were killed. */
function removeAbandoned(isAlive: ProcessSettings['isAlive']): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(tmpdir(), name), { recursive: true, force: true })
  }
}

/**
 * Opens a platform with the given data in a temporary folder, with a frozen clock. Closing it deletes the folder; the
 * folder of a process that was killed is deleted by the next one. @throws Failure 422 for invalid data,
 * ModelConfigurationError for an invalid script of the local model
 */
export async function openTemporaryPlatform(
  { data, frozenAt, language, answer, isOffline, log }: TemporaryPlatformOptions,
  { pid, isAlive, version, env, os, template = platformSettings(env, os).template }: ProcessSettings,
): Promise<Platform> {
  if (!isSwept) removeAbandoned(isAlive)
  isSwept = true
  const folder = createTemporaryFolder(`${prefix}${pid}-`)
  try {
    await requireValidSettings({ dataDir: folder.path, language })
    const platform = await openPlatform({
      dataDir: folder.path,
      ...(data && { data }),
      seed: 7,
      frozenAt,
      language,
      template,
      version,
      pid,
      isAlive,
      durable: false,
      isTemporary: true,
      inProcess: true,
      ...(isOffline && { isOffline }),
      ...(log && { log }),
      ...(answer && {
        automationPorts: {
          http: {
            async send({ method, url, headers, body }) {
              const text = typeof body === 'string' ? body : body && new TextDecoder().decode(body)
              const answered = await answer({ method, url, headers, ...(text !== undefined && { body: text }) })
              return { ...answered, body: new TextEncoder().encode(answered.body) }
            },
          },
        },
      }),
    })
    return { ...platform, close: () => platform.close().finally(folder.remove) }
  } catch (error) {
    folder.remove()
    throw error
  }
}
