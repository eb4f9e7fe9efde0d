import { readFileSync } from 'node:fs'
import { decodeText } from '../node/decode-text.ts'
import { describeFileError } from '../node/file-error.ts'
import { parseJson, stringifyJson } from '../node/json.ts'
import { parseYaml } from '../node/parse-yaml.ts'
import { createTemporaryFolder } from '../node/temporary-folder.ts'
import { schemaTemplate } from '../platform/environment-settings.ts'
import { type ServeSettings, serve } from '../platform/serve.ts'
import type { ControlError, StartOptions, TestPlatform } from '../platform.ts'
import { type Client, createClient } from '../typed-client.ts'

/** Returns the object of the option `data`, which may be the path of a file. @throws TypeError for an unreadable file */
async function readDataOption(data: StartOptions['data']): Promise<object | undefined> {
  if (typeof data !== 'string') return data
  const fail = (reason: string): never => {
    throw new TypeError(`The file "${data}" of the option "data" ${reason}`)
  }
  let text = ''
  try {
    text = decodeText(readFileSync(data))
  } catch (error) {
    fail(`could not be read: ${describeFileError(error)}.`)
  }
  const value = await parseYaml(text).catch((error: Error) => fail(`is not valid YAML or JSON: ${error.message}`))
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? value
    : fail('must contain an object with fields.')
}

/** Returns the error for invalid sample data, with a line for each problem; other errors unchanged. */
function dataOptionError(error: unknown): unknown {
  const { name, errors } = error as {
    readonly name?: string
    readonly errors?: Readonly<Record<string, readonly string[]>>
  }
  if (name !== 'Failure' || errors === undefined) return error
  return new TypeError(`The option "data" of startPlatform is invalid:\n${Object.values(errors).flat().join('\n')}`)
}

type Check = (value: unknown) => boolean

const isText: Check = (it) => typeof it === 'string' && it !== ''
const isBoolean: Check = (it) => typeof it === 'boolean'
const isObject = (it: unknown): it is object => typeof it === 'object' && it !== null && !Array.isArray(it)
const integer =
  (min: number, max: number): Check =>
  (value) =>
    Number.isInteger(value) && (value as number) >= min && (value as number) <= max

/** Checks an object with these properties only, each of them optional unless `required`. */
const fields =
  (checks: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value) =>
    isObject(value) &&
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, value]) => value === undefined || checks[name]?.(value) === true)

const vocabularyParts = ['paths', 'keys', 'values', 'prefixes'] as const
const isVocabulary = fields(Object.fromEntries(vocabularyParts.map((it) => [it, isObject])), vocabularyParts)
const positive = integer(1, Number.MAX_SAFE_INTEGER)

/** The options of `startPlatform`: what a value must be, for messages, and how it is checked. */
const options: Readonly<Record<keyof StartOptions, readonly [expected: string, check: Check]>> = {
  port: ['a port number from 0 to 65535', integer(0, 65_535)],
  dataDir: ['a path', isText],
  database: ['a URL such as postgres://user@host/name', isText],
  secretKey: ['64 hexadecimal digits', (it) => typeof it === 'string' && /^[0-9a-f]{64}$/i.test(it)],
  seed: ['an integer from 0 to 2147483648', integer(0, 2 ** 31)],
  data: ['an object { version, accounts } or the path of a YAML or JSON file', (it) => isText(it) || isObject(it)],
  publicUrl: [
    'an http or https URL',
    (it) => typeof it === 'string' && /^https?:\/\/[^\s?#]+$/i.test(it) && URL.canParse(it),
  ],
  clock: ['a time such as "2027-03-01T09:00:00Z"', (it) => isText(it) && !Number.isNaN(Date.parse(String(it)))],
  faults: ['a list of fault rules', (it) => Array.isArray(it) && it.every(isObject)],
  privateAddresses: ['true or false', isBoolean],
  empty: ['true or false', isBoolean],
  limit: [
    'an object { name, max, seconds }',
    fields({ name: isText, max: positive, seconds: positive }, ['name', 'max', 'seconds']),
  ],
  vocabulary: ['"public", or an object { paths, keys, values, prefixes }', (it) => it === 'public' || isVocabulary(it)],
  reader: ['"local" or "http"', (it) => it === 'local' || it === 'http'],
  language: [
    'an object { url, key, model } or { script }',
    fields({ url: isText, key: isText, model: isText, script: isText }),
  ],
}

/** Checks the options of `startPlatform`. @throws TypeError that names an unknown or invalid option */
function requireValidOptions(given: StartOptions): void {
  if (!isObject(given))
    throw new TypeError(`The options of startPlatform must be an object, not ${stringifyJson(given)}.`)
  for (const [name, value] of Object.entries(given)) {
    const known = Object.hasOwn(options, name) ? options[name as keyof StartOptions] : undefined
    if (!known)
      throw new TypeError(`startPlatform has no option "${name}". Its options are ${Object.keys(options).join(', ')}.`)
    const [expected, check] = known
    if (value !== undefined && !check(value))
      throw new TypeError(`The option "${name}" of startPlatform must be ${expected}, not ${stringifyJson(value)}.`)
  }
  if (given.empty === true && given.data !== undefined)
    throw new TypeError('The options "empty" and "data" of startPlatform cannot be combined.')
}

/** Returns the error of a response of the control API, with the status and the invalid fields. */
function controlError(request: string, answer: { readonly status: number; readonly body: string }): ControlError {
  let parsed: { readonly message?: string; readonly errors?: ControlError['errors'] } = {}
  try {
    parsed = parseJson(answer.body) as typeof parsed
  } catch {}
  const { message = answer.body, errors = {} } = parsed
  const fields = Object.values(errors).flat()
  const more = fields.filter((it) => !message.includes(it))
  const text = [message, ...more].join(' ')
  return Object.assign(new Error(`${request} failed with status ${answer.status}: ${text}`), {
    name: 'ControlError' as const,
    status: answer.status,
    errors,
  })
}

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

function temporaryFolder(): ReturnType<typeof createTemporaryFolder> {
  try {
    return createTemporaryFolder('parley-platform-')
  } catch (error) {
    const { message, hint } = error as Error & { readonly hint?: string }
    throw new Error(`${message} ${hint} Or pass the option "dataDir".`, { cause: error })
  }
}

/**
 * Starts a platform for tests. It is `startPlatform` of the package, which test suites of others call: options are added,
 * not renamed. @throws TypeError for unknown or invalid options
 */
export async function startTestPlatform(options: StartOptions): Promise<TestPlatform> {
  requireValidOptions(options)
  const { faults = [], seed } = options
  const data = options.data && (await readDataOption(options.data))
  const temporary = options.dataDir === undefined ? temporaryFolder() : undefined
  const folder = options.dataDir ?? temporary?.path ?? ''
  const server = await serve(settingsOf(options, folder, data || undefined)).catch(async (error) => {
    temporary?.remove()
    throw data ? dataOptionError(error) : error
  })
  let closing: Promise<void> | undefined
  let client: Client | undefined

  const requireOpen = (): void => {
    if (closing) throw new Error('The platform is closed.')
  }
  const control = async <T>(method: string, path: string, body?: object): Promise<T> => {
    requireOpen()
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
      requireOpen()
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
      requireOpen()
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
