import { ClientFailure } from '../../../client/failures/client-failure.ts'
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

/** Several reasons against a plan. */
class PlanFailures extends ClientFailure {
  readonly failures: readonly ClientFailure[]

  constructor(failures: readonly ClientFailure[]) {
    const codes = new Set(failures.map((it) => it.code))
    super({
      exit: 'usage',
      code: codes.size === 1 ? ([...codes][0] as string) : 'usage',
      message: failures.map((it) => it.message).join('\n'),
      hint: [...new Set(failures.flatMap(({ hint = '' }) => (hint === '' ? [] : [hint])))].join(' '),
      details: failures.flatMap((it) => it.details),
    })
    this.failures = failures
  }
}

/** Checks all items. @throws ClientFailure `usage` with what is wrong with all of them, or the first other error */
export async function checkEach<T>(
  items: Iterable<T>,
  check: (item: T) => void | undefined | Promise<void>,
): Promise<void> {
  const failures: ClientFailure[] = []
  for (const it of items)
    try {
      await check(it)
    } catch (error) {
      if (!(error instanceof ClientFailure) || error.exit !== 'usage') throw error
      failures.push(...(error instanceof PlanFailures ? error.failures : [error]))
    }
  const secrets = failures.filter((it) => it instanceof MissingSecrets)
  const others = failures.filter((it) => !(it instanceof MissingSecrets))
  const all = [
    ...others,
    ...(secrets.length > 0 ? [new MissingSecrets(secrets.flatMap(({ missing }) => missing))] : []),
  ]
  const [only] = all
  if (only) throw all.length === 1 ? only : new PlanFailures(all)
}
