import type { Call } from '../../../../client/create-client.ts'
import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import type { LinkedItem } from '../../../../contract/references/resource-links.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { type FilterVariable, listMissingVariables as missingOf } from '../../../../engine/analysis/filter-variables.ts'
import { listMeaningChanges } from '../../../../engine/analysis/meaning-changes.ts'
import { validateDefinition } from '../../../../engine/definition/validate-definition.ts'
import { createSandbox } from '../../../../engine/sandbox/create-sandbox.ts'
import type { AccountReader } from '../../../program/dependencies/account-reader.ts'
import { describeItem } from '../../../program/dependencies/deletion-effects.ts'
import { itemWith } from '../../../program/dependencies/item-index.ts'
import { listInvalidNames } from '../../automations/assistant-variables.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/**
 * Reports enabled automations with a definition that the platform would refuse. Their code is checked only on a platform
 * without versions: one with versions has checked it when it was published.
 */
export async function automationFindings({ account }: AccountScope, hasVersions: boolean): Promise<Finding[]> {
  const flows = (await account.automations()).filter((it) => it.status === 'enabled' && it.definition !== undefined)
  if (flows.length === 0) return []
  const sandbox = hasVersions ? undefined : createSandbox()
  try {
    const found: Finding[] = []
    for (const flow of flows) {
      const options = { allowUnknownPieces: true, isCodeChecked: hasVersions }
      const examined = await validateDefinition({ trigger: flow.definition }, sandbox, options)
      const errors = [...(examined.ok ? [] : examined.problems), ...examined.unknown]
      const [first] = errors
      if (!first) continue
      const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
      const where = first.step === null ? '' : ` at ${first.step}`
      found.push(
        resourceFinding(
          'failed',
          'automation_definition',
          ['automate', flow],
          `is enabled but its definition is invalid${where}: ${first.message}${more}`,
          `parley automate get ${flow.id}`,
        ),
      )
    }
    return found
  } finally {
    await sandbox?.close()
  }
}

/**
 * Reports enabled automations that were published before an upgrade of the platform and that run differently since.
 * Publishing them again is what ends the warning.
 */
export async function engineFindings({ account }: AccountScope, call: Call, hasVersions: boolean): Promise<Finding[]> {
  if (!hasVersions) return []
  const flows = (await account.automations()).filter((it) => it.status === 'enabled' && isObject(it.definition))
  if (flows.length === 0) return []
  const found: Finding[] = []
  for (const flow of flows) {
    const [first, ...more] = await listMeaningChanges(flow.definition as AutomationNode)
    if (first === undefined) continue
    const { versions } = await call(automate.versions, { id: String(flow.id) })
    if (versions.find((version) => version.live)?.engine !== 1) continue
    found.push(
      resourceFinding(
        'warning',
        'automation_engine',
        ['automate', flow],
        `was published before an upgrade of the platform, and runs differently since. ${first}${more.length > 0 ? ` (and ${more.length} more)` : ''} Test it, then publish it again.`,
        `parley automate test ${flow.id}`,
      ),
    )
  }
  return found
}

/** An enabled automation, and the variables it filters on that its assistant does not extract. */
interface MissingVariables {
  readonly automation: LinkedItem
  readonly assistant: LinkedItem
  readonly missing: readonly FilterVariable[]
}

/** Returns the enabled automations that filter on variables their assistant does not extract. */
export async function listMissingVariables(account: AccountReader): Promise<MissingVariables[]> {
  const flows = (await account.automations()).filter(
    (it) => it.status === 'enabled' && isObject(it.definition) && isObject(it.binding),
  )
  if (flows.length === 0) return []
  const assistants = await account.list('assistants')
  return flows.flatMap((automation) => {
    const assistant = itemWith(assistants, 'id', (automation.binding as LinkedItem).assistant_id)
    const missing = assistant ? missingOf(automation.definition as AutomationNode, assistant.post_call_schema) : []
    return assistant && missing.length > 0 ? [{ automation, assistant, missing }] : []
  })
}

/**
 * Reports automations that filter on variables their assistant does not extract: the steps after the filter never run.
 * `doctor --fix` finds something to fix by the name of this check.
 */
export async function variableFindings({ account }: AccountScope): Promise<Finding[]> {
  const found = await listMissingVariables(account)
  if (found.length === 0) return []
  return found.map(({ automation, assistant, missing }) =>
    resourceFinding(
      'warning',
      'automation_variables',
      ['automate', automation],
      `filters on ${missing.map(({ name }) => name).join(', ')}, which assistant ${describeItem(assistant)} does not extract. The steps after the filter never run.`,
      listInvalidNames(missing).length === missing.length
        ? `parley automate get ${automation.id}`
        : 'parley doctor --fix',
    ),
  )
}
