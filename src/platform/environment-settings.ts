import { cacheFolder } from '../node/cache-folder.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns platform settings of the environment: the maximum database size (which simulates a full disk), access to
 * private addresses, the website reader, and the template of new databases.
 */
export function platformSettings(
  env: Environment,
  os: string,
): {
  readonly template: string | undefined
  readonly reader?: 'local' | 'http'
  readonly maxPages?: number
  readonly privateAddresses?: boolean | readonly string[]
} {
  const { PARLEY_MAX_PAGES: pages, PARLEY_PRIVATE_ADDRESSES: addresses, PARLEY_READER: reader } = env
  return {
    template: schemaTemplate(env, os),
    ...(Number(pages) > 0 && { maxPages: Number(pages) }),
    ...(addresses && { privateAddresses: addresses === '1' || (addresses !== '0' && addresses.split(',')) }),
    // The platform validates the name.
    ...(reader && { reader: reader as 'http' }),
  }
}

/** Returns the language model of the environment. A relative path is resolved against the current folder. */
export function languageSettings(
  {
    PARLEY_MODEL_URL: url,
    PARLEY_MODEL_KEY: key,
    PARLEY_MODEL: model,
    PARLEY_MODEL_SCRIPT: script,
    PARLEY_MODEL_TIMEOUT: timeout,
  }: Environment,
  resolvePath: (path: string) => string,
) {
  const given = {
    url,
    key,
    model,
    timeout,
    script: script && resolvePath(script),
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''))
}

declare const PARLEY_SCHEMA: string | undefined

/**
 * Returns the path of the template for new databases in the user's own cache folder; undefined without such a folder. The
 * name changes with the schema. A program that was not built has no template, because its schema may change at any time.
 */
export function schemaTemplate(env: Environment, os: string): string | undefined {
  if (typeof PARLEY_SCHEMA !== 'string') return undefined
  const folder = cacheFolder(env, os)
  return folder ? `${folder}/schema-${PARLEY_SCHEMA}.db` : undefined
}

/** Returns the home folder of the user, as `read` finds it. @throws Error with a hint if the user has none, as in some containers */
export function homeFolder(read: () => string): string {
  try {
    return read()
  } catch {
    const hint = 'Set HOME, or both PARLEY_CONFIG_DIR and PARLEY_DATA_DIR.'
    throw Object.assign(new Error('This user has no home folder.'), { exit: 'usage', hint })
  }
}
