import type { AutomationTemplate, TemplateParam } from '../../../../contract/automations/automation-records.ts'
import type { ResourceKind } from '../../../../contract/references/resource-references.ts'
import { automate } from '../../../../contract/resources/automate.ts'
import { isNumericId } from '../../../../contract/values/numeric-id.ts'
import { isSecretName } from '../../../../contract/values/redact.ts'
import { previewTemplate, type TemplatePreview } from '../../../../engine/templates/template-preview.ts'
import { target as assistant } from '../../../nouns/assistants/view.ts'
import { type CommandInput, command, type Invocation, repeatedFlag } from '../../../program/commandline/command.ts'
import { sendWithConfirmation } from '../../../program/consent/confirm-side-effects.ts'
import type { Context } from '../../../program/context.ts'
import { targetOfKind } from '../../../program/dependencies/resource-targets.ts'
import { splitPair } from '../../../program/input/parse-variables.ts'
import { resolveId, resolveItem } from '../../../program/input/resolve-target.ts'
import { promptChoices } from '../../../program/prompts/choices.ts'
import { recordFlag, recordSecretFlag } from '../../../program/prompts/equivalent-command.ts'
import { promptSecret } from '../../../program/prompts/prompt-fields.ts'
import type { Prompts } from '../../../program/prompts/prompts.ts'
import { resourceOfField } from '../../../program/resources/registry.ts'
import { requireAssistantVariables } from '../assistant-variables.ts'
import { builtView, printBuilt } from '../print-built.ts'
import { noteEffects } from '../test-effects.ts'
import { templatesTarget } from './view.ts'

/** Returns the parameters of `--param`. Also of `automate templates`. @throws ClientFailure `usage` without a key */
export const parseParams = (flags: Invocation['flags']): Record<string, string> =>
  Object.fromEntries(repeatedFlag(flags, 'param').map((text) => splitPair(text, '--param', 'key=value')))

/**
 * Collects the template, assistant and parameters. Prompts for missing ones on a terminal; elsewhere the platform names
 * them.
 */
async function promptTemplateParams(
  context: Context,
  key: string | undefined,
  input: CommandInput,
): Promise<CommandInput> {
  if (key !== undefined && !context.interactive) return { ...input, key }
  const template = (await resolveItem(context, key, templatesTarget)) as unknown as AutomationTemplate
  const given = (input.params ?? {}) as Readonly<Record<string, unknown>>
  const wanted = (Array.isArray(template.params) ? template.params : []).filter(
    (it) => it?.required && isBlank(given[it.key]),
  )
  const request: CommandInput = { ...input, key: template.key }
  if (context.interactive && template.requires_assistant && request.assistant_id === undefined) {
    request.assistant_id = await resolveId(context, undefined, assistant, '--assistant-id')
  }
  if (wanted.length === 0 || !context.interactive) return request
  const prompts = await context.prompts()
  const answers: Record<string, string> = {}
  for (const param of wanted) {
    const answer = await promptParam(prompts, param)
    answers[param.key] = answer
    if (isSecretName(param.key)) recordSecretFlag(context, '--param', param.key, `${param.key}=`)
    else recordFlag(context, '--param', `${param.key}=${answer}`)
  }
  return { ...request, params: { ...given, ...answers } }
}

/** Text that the platform fills in at a run. */
const isExpression = (text: string): boolean => text.includes('{{')

/**
 * Replaces names of resources in parameters that take their ids, such as `campaign_id`. Templates are those of the sender
 * beside them. @throws ClientFailure `not_found` for an unknown name, `usage` for an ambiguous one
 */
async function resolveParamNames(
  context: Context,
  params: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = { ...params }
  for (const [key, value] of Object.entries(params)) {
    const kind = resourceOfField(key)
    if (kind === undefined || kind === 'templates' || typeof value !== 'string' || isExpression(value)) continue
    // Digits are an id, and nothing is read for it: the platform refuses one that does not exist.
    if (isBlank(value) || /^\d+$/.test(value)) continue
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

export const apply = command({
  exits: ['finding'],
  endpoint: automate.apply,
  argument: { name: 'key', describe: 'Key of the template' },
  flags: [
    {
      flags: '--param <key=value>',
      describe: 'Template parameter as text, with a name in place of an id; repeatable',
      repeatable: true,
      field: 'params',
    },
    { flags: '--fix', describe: 'Add the variables that the automation filters on to the assistant, if missing' },
  ],
  examples: [
    'post-call-callback --assistant-id 1 --confirm-side-effects',
    'lead-intake-webhook --param campaign_id="Call back" --confirm-side-effects',
    'post-call-hot-lead-alert --assistant-id 1 --param alert_email=team@northwind.example --fix --confirm-side-effects',
    'lead-intake-webhook --params @params.json --name "Leads of the website" --confirm-side-effects',
  ],
  notes: `List templates and their parameters with "parley automate templates [key]". On a terminal, the command prompts for missing parameters.
The automation is tested, then enabled. When the test fails, it stays disabled and the exit code is 20. The test runs its steps for real; the steps are listed first.`,
  view: builtView,
  async run(context, { argument, input, flags }) {
    const params = await resolveParamNames(context, {
      ...(input.params as object | undefined),
      ...parseParams(flags),
    })
    const body = await promptTemplateParams(context, argument, {
      ...input,
      ...(Object.keys(params).length > 0 && { params }),
    })
    const preview = await previewOf(context, body)
    // Without these variables the automation would never match an event of the assistant.
    if (preview?.isBound && isNumericId(body.assistant_id)) {
      await requireAssistantVariables(context, preview.trigger, String(body.assistant_id), flags.fix === true)
    }
    if (preview) await noteEffects(context, preview.trigger, preview.payload)
    const answer = await sendWithConfirmation(context, automate.apply, body, 'Building and testing the automation')
    if (!answer) return
    const exit = await printBuilt(context, answer, 'created')
    // `gives` is only set for templates that a mid-call tool starts.
    if (preview?.gives !== undefined) await noteFields(context, preview.gives, answer.automation_id)
    return exit
  },
})

/** Returns the definition that the template is expected to produce, if this program knows the template. */
async function previewOf(
  { system }: Context,
  { key, params, assistant_id: assistant }: CommandInput,
): Promise<TemplatePreview | undefined> {
  const given = typeof params === 'object' && params !== null ? (params as Readonly<Record<string, unknown>>) : {}
  return previewTemplate(String(key), given, {
    assistant: typeof assistant === 'number' ? assistant : null,
    now: system.now(),
  })
}

/** Notes what a template for mid-call tools needs next: a tool, and the fields that the assistant passes. */
async function noteFields({ notes }: Context, fields: string, id: unknown): Promise<void> {
  await notes.note(`The assistant must pass: ${fields}.`)
  if (typeof id === 'string') await notes.note(`Next: parley tools create --from-automation ${id}`)
}
