import { mapReference } from '../../../contract/references/reference-paths.ts'
import type { Reference, ResourceKind } from '../../../contract/references/resource-references.ts'
import { maskValue } from '../../../engine/definition/mask.ts'
import { toIsoMicros } from '../../jobs/clock.ts'
import type { Vault } from '../../services/runtime/vault.ts'
import type { AccountRow } from '../../store/accounts/accounts.ts'
import type { Query } from '../../store/database/connection.ts'
import { catalogueName } from './sample-names.ts'

type Fields = Readonly<Record<string, unknown>>

/** What the records of an account are exported with. */
export interface Exporting {
  readonly query: Query
  readonly account: AccountRow
  readonly vault: Vault
  /** Whether secrets are written. Otherwise they are masked or omitted. */
  readonly hasSecrets: boolean
  readonly names: RecordNames
}

/** The names of exported records by id, unique for each kind. */
export class RecordNames {
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()

  /** Stores a record, and returns `{ ref }` if its name is taken. `scope` is the name of the record that contains it. */
  add(to: ResourceKind, id: number | string, name: string, scope = ''): { readonly ref?: string } {
    let unique = name
    for (let n = 2; this.#taken.has(`${to} ${scope} ${unique}`); n++) unique = `${name} #${n}`
    this.#taken.add(`${to} ${scope} ${unique}`)
    this.#names.set(`${to} ${id}`, unique)
    return unique === name ? {} : { ref: unique }
  }

  nameOf(to: ResourceKind, id: unknown): string | undefined {
    return this.#names.get(`${to} ${id}`)
  }

  /** Replaces the ids in a record by names. References to deleted records are removed. */
  replaceIds(item: Fields, references: readonly Reference[]): Fields {
    let result = item
    for (const reference of references) {
      result = mapReference(
        result,
        reference,
        (id) => catalogueName(reference, id) ?? this.nameOf(reference.to, id) ?? null,
      )
      const [, list] = /^(\w+)\[\]$/.exec(reference.path) ?? []
      if (list !== undefined && Array.isArray(result[list]))
        result = { ...result, [list]: result[list].filter((it) => it !== null) }
    }
    return result
  }
}

/** Masks the secrets in a record, unless they are written. */
export const maskSecrets = <T>({ hasSecrets }: Pick<Exporting, 'hasSecrets'>, value: T): T =>
  hasSecrets ? value : (maskValue(value) as T)

/** Returns a time for a file; undefined for null. */
export const isoOrNothing = (at: number | null): string | undefined => (at === null ? undefined : toIsoMicros(at))

/** Returns the times of a row. */
export const timesOfRow = ({
  created_at,
  updated_at,
}: {
  readonly created_at: number
  readonly updated_at: number
}) => ({
  created_at: toIsoMicros(created_at),
  updated_at: updated_at === created_at ? undefined : toIsoMicros(updated_at),
})
