/** What a client knows of one resource: whether it exists, and the values that a field may have. */
export interface Known {
  readonly id: number | string
  readonly name: string
  /** `maybe` after a deletion with an unknown outcome. */
  exists: 'yes' | 'maybe'
  /** Values that the changed field may have: several after an update with an unknown outcome. */
  readonly values: Set<string | null>
}

/** What a client knows of one account. */
export class AccountModel {
  readonly id: number
  readonly key: string
  readonly #resources = new Map<string, Known[]>()
  /** Names of resources whose creation has an unknown outcome, by kind. */
  readonly #maybe = new Map<string, Set<string>>()
  /** Numbers that were bought, by number, with the id. */
  readonly numbers = new Map<string, number>()
  /** Released numbers, which belong to the account until the end of the month that is paid. */
  readonly leaving = new Set<string>()
  /** Numbers whose purchase or release has an unknown outcome. */
  readonly uncertainNumbers = new Set<string>()

  constructor(id: number, key: string) {
    this.id = id
    this.key = key
  }

  resources(kind: string): Known[] {
    let list = this.#resources.get(kind)
    if (!list) this.#resources.set(kind, (list = []))
    return list
  }

  maybeCreated(kind: string): Set<string> {
    let names = this.#maybe.get(kind)
    if (!names) this.#maybe.set(kind, (names = new Set()))
    return names
  }

  forget(kind: string, known: Known): void {
    const list = this.resources(kind)
    list.splice(list.indexOf(known), 1)
  }
}
