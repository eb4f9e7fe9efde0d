import type { AutomationNode } from '../../../../contract/automations/automation-node.ts'
import { walkSteps } from '../../../../contract/automations/walk-steps.ts'
import type { Context } from '../../../program/context.ts'
import { usageError } from '../../../program/errors/usage-error.ts'
import { readValue } from '../../../program/input/read-document.ts'

/** Returns the step names of the `--mock` flags, whether or not the steps exist. */
export const mockedSteps = (given: readonly string[]): ReadonlySet<string> =>
  new Set(given.map((text) => text.slice(0, Math.max(text.indexOf('='), 0))))

/** Parses `--mock step_1=...` to outputs by step name. @throws ClientFailure `usage` for a step that does not exist */
export async function readMocks(
  { system }: Context,
  given: readonly string[],
  trigger: AutomationNode,
): Promise<Record<string, unknown>> {
  const names = stepNames(trigger)
  const mocks: Record<string, unknown> = Object.create(null)
  for (const text of given) {
    const at = text.indexOf('=')
    const name = text.slice(0, Math.max(at, 0))
    if (at < 1) throw usageError(`Invalid --mock "${text}". Use step=json.`, 'For example: --mock step_1=@answer.json.')
    if (name !== 'trigger' && !names.includes(name))
      throw usageError(`--mock: step "${name}" not found.`, `Steps: ${names.join(', ')}.`)
    mocks[name] = await readValue(system, text.slice(at + 1), `--mock ${name}`)
  }
  return mocks
}

const listSteps = (trigger: AutomationNode): AutomationNode[] =>
  [...walkSteps(trigger)].slice(1).map(({ node }) => node)

/** Returns the names of the steps of a definition, in order, without the trigger. */
export const stepNames = (trigger: AutomationNode): string[] => listSteps(trigger).map(({ name }) => String(name))

/** Returns piece and action by step name: `piece-http send_request`. */
export function stepTitles(trigger: AutomationNode): ReadonlyMap<string, string> {
  const pieces = listSteps(trigger).filter(({ settings }) => typeof settings?.pieceName === 'string')
  return new Map(
    pieces.map(({ name, settings }) => [
      String(name),
      [String(settings?.pieceName).replace(/^@[^/]*\//, ''), settings?.actionName].filter(Boolean).join(' '),
    ]),
  )
}
