import type { AutomationTemplate } from '../../../../contract/automations/automation-records.ts'
import { Failure } from '../../../../contract/errors/failures.ts'
import { isObject } from '../../../../contract/values/json-object.ts'
import { resolveParams } from '../../../../engine/templates/param-values.ts'
import { type Template, toCatalogueEntry } from '../../../../engine/templates/template.ts'
import { templates } from '../../../../engine/templates/template-catalogue.ts'
import { parseJson } from '../../../../node/json.ts'
import { type AssistantRow, findAssistant } from '../../../store/assistants/assistants.ts'
import { accountQuery } from '../../../store/database/account-query.ts'
import type { Deps } from '../../runtime/deps.ts'
import type { RestrictedKey } from '../../runtime/key-access.ts'
import { assistantEventSample } from '../triggers/assistant-event-service.ts'
import type { BuildResult } from './automation-builder.ts'
import { automationService } from './automation-service.ts'

/** The input for an automation made from a template. */
interface TemplateApplication {
  readonly params?: Readonly<Record<string, unknown>> | undefined
  readonly assistant_id?: number | undefined
  /** Default: the name of the template. */
  readonly name?: string | undefined
  readonly confirm_side_effects?: boolean | undefined
  /** The key that applies it, if it is restricted. */
  readonly key?: RestrictedKey | undefined
}

/** Lists templates and creates automations from them (sections 2.11 and 4.20, and the facts 2.11). */
export function templateService(deps: Deps) {
  const { connection, clock } = deps
  const automations = automationService(deps)

  const findTemplateAssistant = async (account: number, id: number | undefined): Promise<AssistantRow | undefined> =>
    id === undefined ? undefined : findAssistant(accountQuery(connection.read, account), id)

  async function build(
    account: number,
    template: Template,
    { params = {}, assistant_id, name, confirm_side_effects, key }: TemplateApplication,
  ): Promise<BuildResult> {
    const isBound = template.binding !== null
    const assistant = isBound ? await findTemplateAssistant(account, assistant_id) : undefined
    const settings = assistant && parseJson(assistant.settings)
    const values = resolveParams(template, params, { assistant_timezone: settings?.timezone ?? 'UTC' })
    if (isBound && !assistant)
      throw new Failure(assistant_id === undefined ? 'automate.assistant_required' : 'automate.assistant_not_found')
    const paramAssistantId = isBound ? undefined : values.assistant_id
    if (paramAssistantId !== undefined && !(await findTemplateAssistant(account, Number(paramAssistantId))))
      throw new Failure('automate.assistant_not_found')
    const now = await clock.now()
    const templateContext = { assistant: assistant?.id ?? null, now: Math.floor(now / 1000) }
    const own = template.sample?.(values, templateContext)
    const event = template.binding && assistant && assistantEventSample(template.binding, assistant, now)
    return automations.create(account, {
      name: name ?? template.name,
      flow: template.flow(values, templateContext),
      ...(isBound && { assistant_id }),
      ...(template.binding === 'conversation_ended' && { bind_webhook: template.binding }),
      ...(own && { sample: mergeSample(event ?? {}, own) }),
      confirm_side_effects,
      key,
    })
  }

  return {
    async list(): Promise<AutomationTemplate[]> {
      const now = Math.floor((await clock.now()) / 1000)
      return templates.map((it) => toCatalogueEntry(it, now))
    },

    /**
     * Creates an automation from a template. @throws Failure 404 for an unknown key; 422 of section 7.5 and for
     * parameters, each with `params`
     */
    async apply(account: number, key: string, application: TemplateApplication): Promise<BuildResult> {
      const template = templates.find((it) => it.key === key)
      try {
        if (!template) throw new Failure('automate.template_not_found')
        return await build(account, template, application)
      } catch (error) {
        throw error instanceof Failure && error.kind.startsWith('automate.') ? withParams(error) : error
      }
    },
  }
}

/** Adds `params` to a refusal: the invalid parameters, or null when it does not concern parameters. */
const withParams = ({ kind, message, extra, details }: Failure): Failure =>
  new Failure(kind, { text: message, extra: { params: null, ...extra }, ...(details && { details }) })

/** Returns the template's sample merged over the event's sample. The extracted variables of both are combined. */
function mergeSample(
  event: Readonly<Record<string, unknown>>,
  own: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const found = {
    ...(isObject(event.extracted_variables) && event.extracted_variables),
    ...(isObject(own.extracted_variables) && own.extracted_variables),
  }
  return { ...event, ...own, ...(Object.keys(found).length > 0 && { extracted_variables: found }) }
}
