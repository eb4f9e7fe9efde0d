import { StepFailure, type StorePort, type StoreScope } from '../../automation/ports.ts'
import { findAct, insertAct, readValue, writeValue } from '../../store/automation-values.ts'
import type { Deps } from '../deps.ts'

/** Characters of a key, and bytes of a value as JSON. */
const limits = { key: 128, value: 512 * 1024 } as const

const ownerOf = ({ owner }: StoreScope): string => (owner.kind === 'account' ? '' : `${owner.kind}:${owner.id}`)

function checkKey(key: string): void {
  if (key === '' || [...key].length > limits.key) throw new StepFailure(`The key of a stored value has 1 to ${limits.key} characters.`)
}

/** Values automations keep between runs, changed once for each step whatever becomes of its process. */
export function storePort({ connection, clock }: Pick<Deps, 'connection' | 'clock'>): StorePort {
  return {
    async get(scope, key) {
      checkKey(key)
      const value = await readValue(connection.read, scope.account, ownerOf(scope), key)
      return value === undefined ? undefined : JSON.parse(value)
    },
    async change(act, scope, key, change) {
      checkKey(key)
      const result = await connection.write(async (query) => {
        const before = await findAct(query, act.account, act.key)
        if (before !== undefined) return before
        const value = await readValue(query, scope.account, ownerOf(scope), key)
        const next = change(value === undefined ? undefined : JSON.parse(value))
        const json = next === undefined ? undefined : JSON.stringify(next)
        if (json !== undefined && Buffer.byteLength(json) > limits.value) throw new StepFailure('A stored value has at most 512 KB as JSON.')
        await writeValue(query, scope.account, ownerOf(scope), key, json)
        const result = json ?? 'null'
        await insertAct(query, { account: act.account, key: act.key, result, now: await clock.now(query) })
        return result
      })
      return JSON.parse(result)
    },
  }
}
