import { ClientFailure } from '../../client/failures/client-failure.ts'
import { mask } from '../secrets/masked-values.ts'

/** A reference to an environment variable that is not set. */
interface MissingSecret {
  /** File and field. */
  readonly place: string
  readonly variable: string
  /** The platform has a value that could remain. */
  readonly hasLive: boolean
}

/** Names every environment variable that is not set. Exit code 2. */
export class MissingSecrets extends ClientFailure {
  readonly missing: readonly MissingSecret[]

  constructor(missing: readonly MissingSecret[]) {
    const variables = [...new Set(missing.map((it) => it.variable))]
    const exports = variables.map((it) => `export ${it}=…`).join(' ')
    super({
      exit: 'usage',
      code: 'usage',
      message: missing
        .map(({ place, variable }) => `${place} needs the environment variable ${variable}, which is not set.`)
        .join('\n'),
      hint: missing.every((it) => it.hasLive)
        ? `Set ${variables.length === 1 ? 'it' : 'them'}, or write "${mask}" there to preserve the live value.`
        : `Set ${variables.length === 1 ? 'it' : 'them'}: ${exports}`,
    })
    this.missing = missing
  }
}

/** Checks all items. @throws MissingSecrets with those of all items, or the first other error */
export async function checkEach<T>(items: readonly T[], check: (item: T) => Promise<void>): Promise<void> {
  const missing: MissingSecret[] = []
  for (const it of items)
    await check(it).catch((error: unknown) => {
      if (!(error instanceof MissingSecrets)) throw error
      missing.push(...error.missing)
    })
  if (missing.length > 0) throw new MissingSecrets(missing)
}
