import { isSecretName } from '../../../client/requests/redact.ts'
import type { AutomationTemplate, TemplateParam } from '../../../contract/automations/automation-records.ts'
import type { ResourceKind } from '../../../contract/references/resource-references.ts'
import type { CommandInput } from '../../commandline/command.ts'
import type { Context } from '../../context.ts'
import { resolveId, resolveItem } from '../../input/resolve-target.ts'
import { promptChoices } from '../../prompts/choices.ts'
import { recordFlag, recordSecretFlag } from '../../prompts/equivalent-command.ts'
import { promptSecret } from '../../prompts/prompt-fields.ts'
import type { Prompts } from '../../prompts/prompts.ts'
import { resourceOfField } from '../../resources/descriptors.ts'
import { target } from './templates.ts'

/**
 * Collects the template, assistant and parameters. Prompts for missing ones on a terminal; elsewhere the platform names
 * them.
 */
export async function promptTemplateParams(
  context: Context,
  key: string | undefined,
  input: CommandInput,
): Promise<CommandInput> {
  if (key !== undefined && !context.interactive) return { ...input, key }
  const template = (await resolveItem(context, key, target)) as unknown as AutomationTemplate
  const given = (input.params ?? {}) as Readonly<Record<string, unknown>>
  const wanted = (Array.isArray(template.params) ? template.params : []).filter(
    (it) => it?.required && isBlank(given[it.key]),
  )
  const request: CommandInput = { ...input, key: template.key }
  if (context.interactive && template.requires_assistant && request.assistant_id === undefined) {
    const { target: assistant } = await import('../assistants/view.ts')
    request.assistant_id = await resolveId(context, undefined, assistant, '--assistant-id')
  }
  if (wanted.length === 0 || !context.interactive) return request
  const prompts = await context.prompts()
  const answers: Record<string, string> = {}
  for (const it of wanted) {
    const answer = await promptParam(prompts, it)
    answers[it.key] = answer
    if (isSecretName(it.key)) recordSecretFlag(context, '--param', it.key, `${it.key}=`)
    else recordFlag(context, '--param', `${it.key}=${answer}`)
  }
  return { ...request, params: { ...given, ...answers } }
}

/** Text that the platform fills in at a run. */
const isExpression = (text: string): boolean => text.includes('{{')

/**
 * Replaces names of resources in parameters that take their ids, such as `campaign_id`. Templates are those of the sender
 * beside them. @throws ClientFailure `not_found` for an unknown name, `usage` for an ambiguous one
 */
export async function resolveParamNames(
  context: Context,
  params: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...params }
  for (const [key, value] of Object.entries(params)) {
    const kind = resourceOfField(key)
    if (kind === undefined || kind === 'templates' || typeof value !== 'string' || isExpression(value)) continue
    if (isBlank(value) || /^\d+$/.test(value)) continue
    const { targetOfKind } = await import('../../dependencies/resource-targets.ts')
    resolved[key] = String(await resolveId(context, value, await targetOfKind(kind as ResourceKind)))
  }
  return resolved
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || String(value).trim() === ''

const requireValue = (value: string): true | string => !isBlank(value) || 'Enter a value.'

/** Adds an example to a prompt. An example is never used as the value. */
async function promptParam(
  prompts: Prompts,
  { key, label, description, example, choices: values }: TemplateParam,
): Promise<string> {
  const exampleText = example === undefined ? '' : `, for example ${example}`
  const question = `${label || key} (${String(description ?? '').replace(/\.$/, '')}${exampleText}):`
  if (values && values.length > 0) return prompts.select(question, promptChoices(values, String))
  return isSecretName(key)
    ? promptSecret(prompts, question, requireValue)
    : prompts.input(question, { validate: requireValue })
}
