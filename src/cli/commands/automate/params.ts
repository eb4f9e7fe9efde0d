import { isSecretName } from '../../../client/redact.ts'
import type { AutomationTemplate, TemplateParam } from '../../../contract/automation-records.ts'
import { gaveFlag, gaveSecret } from '../../answered.ts'
import { choices } from '../../choices.ts'
import type { Input } from '../../command.ts'
import type { Context } from '../../context.ts'
import { askHidden } from '../../missing.ts'
import type { Prompts } from '../../prompts.ts'
import { resolveId, resolveItem } from '../../target.ts'
import { target } from './templates.ts'

/** What applying a template takes: on a terminal the template, its assistant and its parameters are asked for where they are missing; elsewhere the platform names them. */
export async function askParams(context: Context, key: string | undefined, input: Input): Promise<Input> {
  if (key !== undefined && !context.interactive) return { ...input, key }
  const template = (await resolveItem(context, key, target)) as unknown as AutomationTemplate
  const given = (input.params ?? {}) as Readonly<Record<string, unknown>>
  const wanted = (Array.isArray(template.params) ? template.params : []).filter((it) => it?.required && isBlank(given[it.key]))
  const asked: Input = { ...input, key: template.key }
  if (context.interactive && template.requires_assistant && asked.assistant_id === undefined) {
    const { target: assistant } = await import('../assistants/view.ts')
    asked.assistant_id = await resolveId(context, undefined, assistant, '--assistant-id')
  }
  if (wanted.length === 0 || !context.interactive) return asked
  const prompts = await context.prompts()
  const answers: Record<string, string> = {}
  for (const it of wanted) {
    const answer = await ask(prompts, it)
    answers[it.key] = answer
    if (isSecretName(it.key)) gaveSecret(context, '--param', it.key, `${it.key}=`)
    else gaveFlag(context, '--param', `${it.key}=${answer}`)
  }
  return { ...asked, params: { ...given, ...answers } }
}

const isBlank = (value: unknown): boolean => value === undefined || value === null || String(value).trim() === ''

const needed = (value: string): true | string => !isBlank(value) || 'It is needed.'

/** An example is shown and never filled in. */
async function ask(prompts: Prompts, { key, label, description, example, choices: values }: TemplateParam): Promise<string> {
  const such = example === undefined ? '' : `, such as ${example}`
  const question = `${label || key} (${String(description ?? '').replace(/\.$/, '')}${such}):`
  if (values && values.length > 0) return prompts.select(question, choices(values, String))
  return isSecretName(key) ? askHidden(prompts, question, needed) : prompts.input(question, { validate: needed })
}
