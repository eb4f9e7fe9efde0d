import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from '../../../contract/schema/schema.ts'
import { dataFiles } from '../../../node/data-files.ts'
import { decodeText } from '../../../node/decode-text.ts'
import { parseJson } from '../../../node/json.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { ModelConfigurationError } from './model-script.ts'

/** Model options from flags and environment. The file `language.json` of the data folder supplies the rest. */
export interface ModelOptions {
  /** Base URL of an OpenAI-compatible endpoint, such as `https://host/v1`. */
  readonly url?: string | undefined
  /** API key. It comes only from the environment. */
  readonly key?: string | undefined
  /** Name of the model at the endpoint. It is used for all models of the catalogue without a separate entry. */
  readonly model?: string | undefined
  /** File of intents for the local model. */
  readonly script?: string | undefined
  /** Maximum seconds without data from the model. */
  readonly timeout?: string | number | undefined
}

/** The model configuration of a platform. */
export interface ModelSettings {
  /** Path of the local model's script. */
  readonly script: string | undefined
  /** The remote model; undefined means that the local model is used. */
  readonly remote:
    | { readonly baseUrl: string; readonly model: string; endpointOf(name: string): ModelEndpoint }
    | undefined
}

const Address = z.string().min(1)
const Model = z.union([
  z
    .string()
    .min(1)
    .transform((model) => ({ model })),
  z.strictObject({
    model: z.string().min(1).optional(),
    base_url: Address.optional(),
    temperature: z.boolean().optional(),
  }),
])

/** The form of `language.json`, which operators write: names are added, not renamed. An unknown one stops the start of a server. */
const LanguageFile = z.strictObject({
  base_url: Address.optional(),
  model: z.string().min(1).optional(),
  models: z.record(z.string(), Model).default({}),
  temperature: z.boolean().default(true),
  timeout: z.number().min(0.1).max(600).optional(),
  retries: z.int().min(0).max(10).default(2),
  script: z.string().min(1).optional(),
})

/** API keys as in `credentials.json`: one for all, or one for each host. */
export type ModelKeys = string | Readonly<Record<string, string>>

const defaultTimeoutSeconds = 60

/**
 * Merges the settings of flags, environment and data folder. Without a URL the local model is used, and a model name
 * without a URL is an error.
 * @throws ModelConfigurationError
 */
export function readModelSettings(given: ModelOptions, dataDir: string, keys: ModelKeys | undefined): ModelSettings {
  const file = readSettingsFile(dataDir)
  const script = given.script ?? (file.script === undefined ? undefined : resolve(dataDir, file.script))
  const address = given.url ?? file.base_url
  if (address === undefined) {
    if (given.model !== undefined || file.model !== undefined || Object.keys(file.models).length > 0)
      throw new ModelConfigurationError(
        'Missing URL of the model endpoint. Pass --model-url, or set PARLEY_MODEL_URL or base_url in language.json.',
      )
    return { script, remote: undefined }
  }
  if (given.script !== undefined)
    throw new ModelConfigurationError(
      'A model script works only with the local model. Remove the script or the URL of the model endpoint.',
    )
  const baseUrl = parseBaseUrl(address)
  const model = given.model ?? file.model
  if (model === undefined)
    throw new ModelConfigurationError(
      `Missing model name for ${baseUrl}. Pass --model, or set PARLEY_MODEL or model in ${dataFiles.model}.`,
    )
  const timeout = given.timeout === undefined ? (file.timeout ?? defaultTimeoutSeconds) : Number(given.timeout)
  if (!(timeout >= 0.1 && timeout <= 600))
    throw new ModelConfigurationError(`Invalid model timeout "${given.timeout}". Use 0.1 to 600 seconds.`)
  const findKey = (url: string): string | undefined => {
    const own = given.key !== undefined && new URL(url).origin === new URL(baseUrl).origin ? given.key : undefined
    const key =
      own ??
      (typeof keys === 'string'
        ? new URL(url).origin === new URL(baseUrl).origin
          ? keys
          : undefined
        : keys?.[new URL(url).host])
    return key === undefined ? undefined : validateKey(key, url)
  }
  const createEndpoint = (own: z.output<typeof Model> | undefined): ModelEndpoint => {
    const { base_url, temperature = file.temperature } = (own ?? {}) as { base_url?: string; temperature?: boolean }
    const url = base_url === undefined ? baseUrl : parseBaseUrl(base_url)
    return {
      baseUrl: url,
      key: findKey(url),
      model: own?.model ?? model,
      takesTemperature: temperature,
      timeoutMs: timeout * 1000,
      retries: file.retries,
    }
  }
  const endpoints = new Map(Object.entries(file.models).map(([name, model]) => [name, createEndpoint(model)]))
  const defaultEndpoint = createEndpoint(undefined)
  return { script, remote: { baseUrl, model, endpointOf: (name) => endpoints.get(name) ?? defaultEndpoint } }
}

function readSettingsFile(dataDir: string): z.output<typeof LanguageFile> {
  const path = join(dataDir, dataFiles.model)
  let text = '{}'
  try {
    text = decodeText(readFileSync(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new ModelConfigurationError(`Could not read ${path}: ${(error as Error).message}.`)
  }
  let value: unknown
  try {
    value = parseJson(text)
  } catch (error) {
    throw new ModelConfigurationError(`Invalid JSON in ${path}: ${(error as Error).message}.`)
  }
  const read = LanguageFile.safeParse(value)
  if (read.success) return read.data
  const [issue] = read.error.issues
  const where = issue?.path.join('.') || 'the top level'
  // A key does not belong in this file, so the error says where to put it.
  const hint = /key/i.test(issue?.message ?? '')
    ? ' Put the key in PARLEY_MODEL_KEY or in model_key of credentials.json.'
    : ''
  throw new ModelConfigurationError(`Invalid value in ${path} at ${where}: ${issue?.message}.${hint}`)
}

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ModelConfigurationError(`Invalid model URL "${text}". Use an http or https URL.`)
  // The URL is shown in the status and in the log.
  if (url.username !== '' || url.password !== '')
    throw new ModelConfigurationError('The model URL must not contain a user name or password.')
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

/**
 * Validates a key. It must not be sent unencrypted over a network, nor contain characters that a header does not allow.
 */
function validateKey(key: string, url: string): string {
  const { protocol, hostname, host } = new URL(url)
  if (protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    throw new ModelConfigurationError(`The model key for ${host} would be sent unencrypted. Use https.`)
  if (!/^[\x21-\x7e]+$/.test(key.trim()))
    throw new ModelConfigurationError(`The model key for ${host} contains invalid characters.`)
  return key.trim()
}
