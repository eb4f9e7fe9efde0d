import { ClientFailure } from '../../../../client/failures/client-failure.ts'
import type { Automation, AutomationBrief } from '../../../../contract/automations/automation-records.ts'
import { webhookPathOf } from '../../../../contract/automations/webhook-path.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import type { Context } from '../../../program/context.ts'
import { resolveTextId } from '../../../program/input/resolve-target.ts'
import type { View } from '../../../program/output/format.ts'
import type { Target } from '../../../program/resources/resource.ts'

/** Returns the event and assistant that start an automation; null if it is not bound. */
function bound({ binding }: Pick<AutomationBrief, 'binding'>): string | null {
  const { type, assistant_name: name, assistant_id: assistant } = binding ?? {}
  if (typeof type !== 'string') return null
  return `${type} of ${typeof name === 'string' ? name : 'assistant'}${typeof assistant === 'number' ? ` (${assistant})` : ''}`
}

/** Returns how many of the newest runs failed: `2 of 100`; null if there are no runs, or the platform does not count. */
const failuresText = ({ recent_failures: failures, recent_runs: runs }: AutomationBrief): string | null =>
  typeof runs === 'number' && runs > 0 ? `${Number(failures ?? 0)} of ${runs}` : null

/** Columns for people: they and their titles may change. Scripts read JSON, and with `-o id` what `id` returns. */
export const view: View<AutomationBrief> = {
  id: (it) => it.id,
  hasLongIds: true,
  columns: [
    { key: 'id', title: 'ID', priority: 1 },
    { key: 'name', title: 'Name', priority: 1, flexible: true },
    { key: 'status', title: 'Status', priority: 1, kind: 'status' },
    { key: 'last_run.status', title: 'Last run', priority: 2, kind: 'status' },
    { key: 'last_run.start_time', title: 'Started', priority: 2, kind: 'time' },
    { key: failuresText, field: 'recent_failures', title: 'Failed runs', priority: 3 },
    { key: bound, title: 'Bound to', priority: 2, flexible: true },
  ],
  empty: 'No automations. Create one: parley automate create --file flow.yaml.',
}

/** The list has no definitions, so an automation is read before it is changed. */
export const target: Target = {
  singular: 'automation',
  list: automate.list,
  hasTextIds: true,
  idPattern: /^[A-Za-z0-9]{21}$/,
  isListPartial: true,
  by: ['id', 'name'],
  label: (it) => `${it.name}, ${it.status} (${it.id})`,
}

export const argument = { name: 'id', describe: 'Id or name of the automation, or the beginning of its id' } as const

/** Commands that read a definition from a file, with what precedes the flag. */
const fileUsage: Readonly<Record<string, string>> = {
  'automate test': '',
  'automate diff': '<automation> ',
  'automate update': '<automation> ',
}

/** Resolves an argument, an id or unique name, to the id. */
export async function automationId(context: Context, given: string | undefined): Promise<string> {
  try {
    return await resolveTextId(context, given, target)
  } catch (error) {
    const usage = fileUsage[context.commandName]
    const isFile = usage !== undefined && /\.(json|ya?ml)$/i.test(given ?? '')
    if (!(error instanceof ClientFailure) || error.exit !== 'not_found' || !isFile) throw error
    throw new ClientFailure({
      ...error,
      message: error.message,
      hint: `To read a file: parley ${context.commandName} ${usage}--file ${given}`,
    })
  }
}

export const templatesTarget: Target = {
  singular: 'template',
  list: automate.templates,
  by: ['key', 'name'],
  label: (it) => `${it.name}: ${it.use_when} (${it.key})`,
}

/** Returns the URL of the webhook that starts an automation, or its path on a platform without an address. */
export async function webhookUrl(context: Context, automation: Automation): Promise<string | undefined> {
  const path = webhookPathOf(automation)
  if (path === undefined) return undefined
  const { base } = await context.connection()
  return /^https?:/.test(base) ? `${base.replace(/\/+$/, '')}${path}` : path
}
