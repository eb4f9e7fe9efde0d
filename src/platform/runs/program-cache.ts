import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { findSecrets } from '../../engine/definition/secrets.ts'
import { parseJson } from '../../node/json.ts'
import { findVersion, type VersionRow } from '../store/automations/automation-versions.ts'
import type { AccountQuery } from '../store/database/connection.ts'

/** Maximum number of cached definitions. A published definition never changes. */
const maxPrograms = 200

/** What the cache needs of a version. */
export type CachedVersion = Pick<VersionRow, 'id' | 'account_id' | 'program' | 'definition'>

/** Caches the programs of versions: the trigger with its steps. */
export class ProgramCache {
  readonly #open: (account: number, stored: string) => string
  readonly #secrets = new WeakMap<AutomationNode, readonly string[]>()
  readonly #programs = new Map<string, { readonly text: string; readonly trigger: AutomationNode }>()

  /** `open` returns a stored definition as JSON. */
  constructor(open: (account: number, stored: string) => string) {
    this.#open = open
  }

  get({ id, account_id, program, definition }: CachedVersion): AutomationNode {
    const text = program ?? definition
    const cached = this.#programs.get(id)
    // A local platform with a seed that is erased may create the same id again.
    if (cached?.text === text) return cached.trigger
    const trigger = parseJson(this.#open(account_id, text)) as AutomationNode
    const [oldest] = this.#programs.keys()
    if (this.#programs.size >= maxPrograms && oldest !== undefined) this.#programs.delete(oldest)
    this.#programs.set(id, { text, trigger })
    return trigger
  }

  /** Returns the secret texts of a program. */
  secretsOf(trigger: AutomationNode): readonly string[] {
    const cached = this.#secrets.get(trigger)
    if (cached) return cached
    const secrets = findSecrets(trigger)
    this.#secrets.set(trigger, secrets)
    return secrets
  }

  /** Returns the program of a version; undefined if the version was deleted. */
  async find(query: AccountQuery, version: string): Promise<AutomationNode | undefined> {
    const cached = this.#programs.get(version)
    if (cached) return cached.trigger
    const row = await findVersion(query, version)
    return row && this.get(row)
  }
}
