import type { Finding } from '../finding.ts'
import { about, type Look } from './look.ts'

/** Automations that are on with a definition the platform would refuse. The checks of definitions are loaded when there is one. */
export async function automationFindings({ account }: Look): Promise<Finding[]> {
  const flows = (await account.automations()).filter((it) => it.status === 'enabled' && it.definition !== undefined)
  if (flows.length === 0) return []
  const [{ lint }, { createSandbox }] = await Promise.all([import('../../../automation/definition/lint.ts'), import('../../../automation/sandbox/pool.ts')])
  const sandbox = createSandbox()
  try {
    const found: Finding[] = []
    for (const it of flows) {
      const errors = (await lint({ trigger: it.definition }, sandbox)).filter(({ level }) => level === 'error')
      const [first] = errors
      if (!first) continue
      const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
      const where = first.step === null ? '' : ` at ${first.step}`
      found.push(
        about(
          'failed',
          'automation_definition',
          ['automate', it],
          `is on, and its definition is refused${where}: ${first.message}${more}`,
          `parley automate get ${it.id}`,
        ),
      )
    }
    return found
  } finally {
    await sandbox.close()
  }
}
