import { schemaTemplate } from '../environment-settings.ts'
import { parseJson, stringifyJson } from '../node/json.ts'
import type { StartOptions, TestPlatform } from '../platform.ts'
import { type ServeSettings, serve } from '../serve.ts'
import { type Client, createClient } from '../typed-client.ts'
import { checkOptions } from './check-options.ts'
import { controlError } from './control-error.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function settingsOf(options: StartOptions, dataDir: string, data: object | undefined): ServeSettings {
  const { port = 0, dataDir: given, database, secretKey, clock, data: _, privateAddresses = true, ...rest } = options
  return {
    ...rest,
    ...(data && { data }),
    dataDir,
    durable: given !== undefined,
    isTemporary: given === undefined,
    host: '127.0.0.1',
    port,
    pid: process.pid,
    isAlive,
    keepsProcessRunning: false,
    database: {
      urls: database === undefined ? [] : [{ url: database, source: 'the option "database"', use: 'given' as const }],
      ...(secretKey && { secretKey: { text: secretKey, source: 'the option "secretKey"', isStored: false } }),
    },
    privateAddresses,
    template: schemaTemplate(process.env, process.platform),
    ...(clock !== undefined && { frozenAt: clock }),
  }
}

/** Starts a platform for tests. @throws TypeError for unknown or invalid options */
export async function startTestPlatform(options: StartOptions): Promise<TestPlatform> {
  checkOptions(options)
  const { faults = [], seed } = options
  const data = options.data && (await (await import('./sample-data-option.ts')).readDataOption(options.data))
  const temporary = options.dataDir === undefined ? createTemporaryFolder('parley-platform-') : undefined
  const folder = options.dataDir ?? temporary?.path ?? ''
  const server = await serve(settingsOf(options, folder, data || undefined)).catch(async (error) => {
    temporary?.remove()
    throw data ? (await import('./sample-data-option.ts')).dataOptionError(error) : error
  })
  let closing: Promise<void> | undefined
  let client: Client | undefined

  const assertOpen = (): void => {
    if (closing) throw new Error('The platform is closed.')
  }
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    assertOpen()
    if (typeof method !== 'string' || typeof path !== 'string' || /^\/|^control\//.test(path))
      throw new TypeError(`control takes a method and a path such as "clock/advance", not ${stringifyJson(path)}.`)
    const answer = await server.control(method, `/control/${path}`, body)
    if (answer.status >= 400) throw controlError(`${method} ${path}`, answer)
    return parseJson(answer.body) as T
  }
  let resetting = Promise.resolve()
  const reset = async (): Promise<void> => {
    if (options.empty) throw new Error('A platform that started empty has no sample data to reset to.')
    await control('POST', 'reset', { ...(seed !== undefined && { seed }), ...(data && { data }) })
    // It has the earlier key.
    await client?.close()
    client = undefined
  }
  const close = (): Promise<void> =>
    (closing ??= Promise.all([client?.close(), server.stop()]).then(
      () => temporary?.remove(),
      (error) => {
        temporary?.remove()
        throw error
      },
    ))
  try {
    for (const rule of faults) await control('POST', 'faults', rule)
  } catch (error) {
    await close()
    throw error
  }
  return {
    url: server.url,
    get key() {
      return server.key
    },
    get client() {
      assertOpen()
      return (client ??= createClient({ url: server.url, key: server.key }))
    },
    clock: {
      now: () => control('GET', 'clock'),
      freeze: (moment) => control('POST', 'clock/freeze', moment === undefined ? {} : { at: moment }),
      advance: (by) => control('POST', 'clock/advance', { by }),
      until: (what) => control('POST', 'clock/until', { what }),
      resume: () => control('POST', 'clock/resume', {}),
    },
    faults: {
      add: async (rule) => ({ id: (await control<{ data: { id: number } }>('POST', 'faults', rule)).data.id }),
      list: async () => (await control<{ data: never[] }>('GET', 'faults')).data,
      clear: async () => void (await control('DELETE', 'faults')),
    },
    async fetch(path, init = {}) {
      assertOpen()
      const ownPath = String(path).startsWith(`${server.url}/`) ? String(path).slice(server.url.length) : path
      if (typeof ownPath !== 'string' || /^[a-z][a-z\d+.-]*:/i.test(ownPath))
        throw new TypeError(`fetch takes a path such as "/api/user/me" or a URL of this platform, not ${path}.`)
      if (!ownPath.startsWith('/')) throw new TypeError(`The path "${path}" must start with a slash: "/${path}".`)
      const headers = new Headers(init.headers)
      if (!headers.has('authorization') && server.key !== null) headers.set('authorization', `Bearer ${server.key}`)
      return fetch(server.url + ownPath, { ...init, headers })
    },
    control,
    reset() {
      const next = resetting.then(reset)
      resetting = next.catch(() => {})
      return next
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
