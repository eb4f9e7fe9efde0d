import { settingsOf } from '../../automation/definition/node.ts'
import { normalize } from '../../automation/definition/normalize.ts'
import { refusalOf } from '../../automation/definition/problem.ts'
import { stepsOf, walk } from '../../automation/definition/walk.ts'
import { actionOf, triggerOf } from '../../automation/steps/registry.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import { crypto } from '../../crypto.ts'
import type { VersionRow } from '../../store/automations.ts'

export async function readDefinition(flow: unknown, _before?: VersionRow): Promise<AutomationNode> {
  const { trigger, problems } = normalize(flow)
  if (!trigger) throw refusalOf('automate.unsupported_trigger', problems.all)
  if (!triggerOf(trigger)) throw refusalOf('automate.unsupported_trigger', [])
  if (problems.all.length > 0) throw refusalOf('automate.invalid_definition', problems.all)
  if (!trigger.nextAction) throw refusalOf('automate.no_steps', [])
  for (const step of stepsOf(trigger))
    if (step.type === 'PIECE' && !actionOf(step))
      throw refusalOf('automate.invalid_definition', [{ step: step.name ?? null, path: 'settings.actionName', message: 'Nobody knows this action.' }])
  return trigger
}

export const effectsOf = (trigger: AutomationNode): string[] =>
  stepsOf(trigger).flatMap((step) => {
    const acts = actionOf(step)?.acts
    const input = settingsOf(step)['input'] as never
    return (typeof acts === 'function' ? acts(input ?? {}) : acts) ? [step.displayName || String(step.name)] : []
  })

export function connectionsOf(trigger: AutomationNode): string[] {
  const kinds = [...walk(trigger)].flatMap(({ node }) => triggerOf(node)?.connection ?? actionOf(node)?.connection ?? [])
  return [...new Set(kinds)]
}

export const hashOf = (trigger: AutomationNode): string => crypto().createHash('sha256').update(JSON.stringify(trigger)).digest('hex')

export const programOf = async (trigger: AutomationNode): Promise<AutomationNode> => trigger

export const masked = (trigger: AutomationNode): AutomationNode => trigger
