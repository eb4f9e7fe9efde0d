import type { StorePort, StoreScope } from '../../../flow/pieces/ports.ts'
import { StepFailure } from '../../../flow/pieces/step-failure.ts'
import { parseJson, stringifyJson } from '../../../node/json.ts'
import { findActionResult, insertActionResult } from '../../../store/automations/action-results.ts'
import { readAutomationValue, valuesOwner, writeAutomationValue } from '../../../store/automations/stored-values.ts'
import type { Deps } from '../../runtime/deps.ts'

/** Maximum characters of a key, and maximum bytes of a value as JSON. */
const limits = { key: 128, value: 512 * 1024 } as const

const scopeOwner = ({ owner }: StoreScope): string =>
  owner.kind === 'account' ? '' : valuesOwner(owner.kind, owner.id)

function assertKey(key: string): void {
  if (key === '' || [...key].length > limits.key)
    throw new StepFailure(`The key of a stored value must have 1 to ${limits.key} characters.`)
}

/**
 * Stores values between runs of automations. Each step changes a value exactly once, even if its process crashes and
 * the step is repeated.
 */
export function storePort({ connection, clock }: Pick<Deps, 'connection' | 'clock'>): StorePort {
  return {
    async get(scope, key) {
      assertKey(key)
      const value = await readAutomationValue(connection.read, scope.account, scopeOwner(scope), key)
      return value === undefined ? undefined : parseJson(value)
    },
    async change(action, scope, key, change) {
      assertKey(key)
      const result = await connection.write({ account: action.account }, async (query) => {
        const before = await findActionResult(query, action.account, action.key)
        if (before !== undefined) return before
        const value = await readAutomationValue(query, scope.account, scopeOwner(scope), key)
        const next = change(value === undefined ? undefined : parseJson(value))
        const json = next === undefined ? undefined : stringifyJson(next)
        if (json !== undefined && Buffer.byteLength(json) > limits.value)
          throw new StepFailure('A stored value can be at most 512 KB as JSON.')
        await writeAutomationValue(query, scope.account, scopeOwner(scope), key, json)
        const result = json ?? 'null'
        await insertActionResult(query, {
          account: action.account,
          key: action.key,
          result,
          now: await clock.now(query),
        })
        return result
      })
      return parseJson(result)
    },
  }
}
