import type { AutomationNode } from '../../contract/automation-node.ts'
import { findVersion, type VersionRow } from '../../store/automations.ts'
import type { Query } from '../../store/connection.ts'
import { secretsOf } from '../definition/secrets.ts'

/** Definitions read lately: a published one never changes. */
const known = 200

/** Gives the trigger of a version's program, with the steps on it. */
export class Programs {
  readonly #secrets = new WeakMap<AutomationNode, readonly string[]>()
  readonly #known = new Map<string, { readonly text: string; readonly trigger: AutomationNode }>()

  of({ id, program, definition }: Pick<VersionRow, 'id' | 'program' | 'definition'>): AutomationNode {
    const text = program ?? definition
    const kept = this.#known.get(id)
    // On a platform with a seed that is made anew, the same id may come again.
    if (kept?.text === text) return kept.trigger
    const trigger = JSON.parse(text) as AutomationNode
    const [oldest] = this.#known.keys()
    if (this.#known.size >= known && oldest !== undefined) this.#known.delete(oldest)
    this.#known.set(id, { text, trigger })
    return trigger
  }

  /** The texts of a program that are shown to nobody. */
  secretsOf(trigger: AutomationNode): readonly string[] {
    const kept = this.#secrets.get(trigger)
    if (kept) return kept
    const secrets = secretsOf(trigger)
    this.#secrets.set(trigger, secrets)
    return secrets
  }

  /** Undefined when the version is gone. */
  async find(query: Query, version: string): Promise<AutomationNode | undefined> {
    const kept = this.#known.get(version)
    if (kept) return kept.trigger
    const row = await findVersion(query, version)
    return row && this.of(row)
  }
}
