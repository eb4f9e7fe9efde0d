type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns platform settings of the environment: the maximum database size (which simulates a full disk), access to
 * private addresses, and the website reader.
 */
export function platformSettings({
  PARLEY_MAX_PAGES: pages,
  PARLEY_PRIVATE_ADDRESSES: addresses,
  PARLEY_READER: reader,
}: Environment): {
  readonly reader?: 'local' | 'http'
  readonly maxPages?: number
  readonly privateAddresses?: boolean | readonly string[]
} {
  return {
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
