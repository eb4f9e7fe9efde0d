import type { AutomationNode } from '../../contract/automations/automation-node.ts'
import { readDefinition } from '../definition/validate-definition.ts'
import { createTriggerPayload } from './event-samples.ts'
import { resolveParams } from './param-values.ts'
import { templates } from './template-catalogue.ts'

/** Result of a template with given parameters. */
export interface TemplatePreview {
  readonly trigger: AutomationNode
  /** Input of the trigger in a test. */
  readonly payload: unknown
  readonly isBound: boolean
  /** Description of the fields that the assistant provides during a call; undefined if there are none. */
  readonly gives: string | undefined
}

/**
 * Returns the expected definition of a template, for the questions and warnings of the terminal before the platform makes it.
 * Returns undefined for an unknown template or invalid parameters, because the platform reports the reason.
 */
export async function previewTemplate(
  key: string,
  params: Readonly<Record<string, unknown>>,
  { assistant, now }: { readonly assistant: number | null; readonly now: number },
): Promise<TemplatePreview | undefined> {
  const template = templates.find((it) => it.key === key)
  if (!template) return undefined
  try {
    const values = resolveParams(template, params, { assistant_timezone: 'UTC' })
    const trigger = await readDefinition(template.flow(values, { assistant, now }))
    const event = createTriggerPayload(trigger, undefined, now * 1000) as Readonly<Record<string, unknown>>
    const own = template.sample?.(values, { assistant, now })
    const payload = own && 'body' in event ? createTriggerPayload(trigger, own, now * 1000) : { ...event, ...own }
    return { trigger, payload, isBound: template.binding !== null, gives: template.gives }
  } catch {
    return undefined
  }
}
