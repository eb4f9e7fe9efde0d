import { quoteForShell } from '../../../client/requests/shell-quote.ts'
import type { AutomationNode } from '../../../contract/automations/automation-node.ts'
import { isObject } from '../../../contract/values/json-object.ts'
import type { LinkedItem } from '../../dependencies/resource-links.ts'
import type { Finding } from '../finding.ts'
import { type AccountScope, resourceFinding } from './account-scope.ts'

/**
 * Reports enabled automations with a definition that the platform would refuse. The checks of definitions are loaded
 * only if there is one.
 */
export async function automationFindings({ account }: AccountScope): Promise<Finding[]> {
  const flows = (await account.automations()).filter((it) => it.status === 'enabled' && it.definition !== undefined)
  if (flows.length === 0) return []
  const [{ lintDefinition }, { createSandbox }] = await Promise.all([
    import('../../../flow/analysis/lint.ts'),
    import('../../../automation/sandbox/create-sandbox.ts'),
  ])
  const sandbox = createSandbox()
  try {
    const found: Finding[] = []
    for (const it of flows) {
      const errors = (await lintDefinition({ trigger: it.definition }, sandbox)).filter(
        ({ level }) => level === 'error',
      )
      const [first] = errors
      if (!first) continue
      const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
      const where = first.step === null ? '' : ` at ${first.step}`
      found.push(
        resourceFinding(
          'failed',
          'automation_definition',
          ['automate', it],
          `is enabled but its definition is invalid${where}: ${first.message}${more}`,
          `parley automate get ${it.id}`,
        ),
      )
    }
    return found
  } finally {
    await sandbox.close()
  }
}

/**
 * Reports automations that filter on variables their assistant does not extract: the steps after the filter never run.
 */
export async function variableFindings({ account }: AccountScope): Promise<Finding[]> {
  const flows = (await account.automations()).filter(
    (it) => it.status === 'enabled' && isObject(it.definition) && isObject(it.binding),
  )
  if (flows.length === 0) return []
  const { listMissingVariables, addVariables } = await import('../../../flow/analysis/filter-variables.ts')
  const assistants = await account.list('assistants')
  return flows.flatMap((it): Finding[] => {
    const assistant = assistants.find(({ id }) => id === (it.binding as LinkedItem).assistant_id)
    const missing = assistant ? listMissingVariables(it.definition as AutomationNode, assistant.post_call_schema) : []
    if (!assistant || missing.length === 0) return []
    const names = missing.map(({ name }) => name).join(', ')
    const schema = JSON.stringify(addVariables(assistant.post_call_schema, missing))
    return [
      resourceFinding(
        'warning',
        'automation_variables',
        ['automate', it],
        `filters on ${names}, which assistant ${assistant.name === undefined ? assistant.id : `"${assistant.name}" (id ${assistant.id})`} does not extract. The steps after the filter never run.`,
        `parley assistants update ${assistant.id} --set-json ${quoteForShell(`post_call_schema=${schema}`)}`,
      ),
    ]
  })
}
