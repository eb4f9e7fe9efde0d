import { AutomationTemplate, type TemplateParam } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { stringifyJson } from '../../../node/json.ts'
import { command, repeatedFlag } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import type { Context } from '../../context.ts'
import { usageError } from '../../errors/usage-error.ts'
import { resolveItem, type Target } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'
import { printList } from '../../output/print-list.ts'
import { pair } from './apply.ts'

const needed = ({ params }: AutomationTemplate): string | null =>
  (Array.isArray(params) ? params : [])
    .flatMap((it) => (it?.required && typeof it.key === 'string' ? [it.key] : []))
    .join(', ') || null

export const view: View<AutomationTemplate> = {
  id: (it) => it.key,
  columns: [
    { key: 'key', title: 'Key', priority: 1 },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'binding', title: 'Binding', priority: 4 },
    { key: 'requires_assistant', title: 'Assistant', priority: 5, kind: 'bool' },
    { key: needed, title: 'Needs', priority: 3, flexible: true },
    { key: 'use_when', title: 'Use when', priority: 2, flexible: true },
  ],
  empty: 'No templates.',
}

export const target: Target = {
  singular: 'template',
  list: automate.templates,
  by: ['key', 'name'],
  label: (it) => `${it.name}: ${it.use_when} (${it.key})`,
}

const paramView: View<TemplateParam> = {
  id: (it) => it.key,
  columns: [
    { key: 'key', title: 'Parameter', priority: 1 },
    { key: 'required', title: 'Required', priority: 1, kind: 'bool' },
    { key: (it) => it.default ?? it.auto, field: 'default', title: 'Default', priority: 2 },
    { key: 'example', title: 'Example', priority: 3 },
    { key: 'description', title: 'Description', priority: 1, flexible: true },
  ],
  empty: 'The template has no parameters.',
}

export const templates = command({
  endpoint: automate.templates,
  argument: { name: 'key', describe: 'Key of the template (default: all templates)', optional: true },
  isList: true,
  flags: [
    { flags: '--definition', describe: 'Print the definition of the template, with example values for its parameters' },
    { flags: '--param <key=value>', describe: 'Value of a parameter in the definition; repeatable', repeatable: true },
  ],
  examples: ['', '--json', 'post-call-callback', 'lead-intake-webhook --definition > flow.json'],
  notes:
    'With --definition, the definition is that of this version of Parley, as JSON. Change it and pass it to "parley automate create --file". What its steps are: parley help pieces.',
  view,
  async run(context, { argument, input, flags }) {
    if (flags.definition && argument === undefined)
      throw usageError('--definition requires the key of a template.', 'List templates: parley automate templates.')
    if (flags.param !== undefined && !flags.definition)
      throw usageError('--param requires --definition.', 'To create an automation: parley automate apply <key>.')
    if (argument === undefined) return printList(context, automate.templates, input)
    if (await previewRequest(context, automate.templates, input)) return
    const found = (await resolveItem(context, argument, target)) as unknown as AutomationTemplate
    const { out, system, notes } = context
    if (flags.definition)
      return printDefinition(context, found, Object.fromEntries(repeatedFlag(flags, 'param').map(pair)))
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(found, { schema: AutomationTemplate, view } as never)
    const { params, test_sample: _, ...about } = found
    await out.record(about)
    await system.streams.stdout.write('\n')
    await out.list(Array.isArray(params) ? params : [], { view: paramView })
    await notes.note(`Next: parley automate apply ${found.key}`)
  },
})

/** Prints the definition of a template. Parameters that were not given have their default or example. */
async function printDefinition(
  context: Context,
  { key, params, requires_assistant: isBound }: AutomationTemplate,
  given: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { previewTemplate } = await import('../../../automation/templates/template-preview.ts')
  const filled = Object.fromEntries(
    (Array.isArray(params) ? params : []).flatMap((it) => {
      const value = it.default ?? it.choices?.[0] ?? it.example
      return it.required && value !== undefined ? [[it.key, value]] : []
    }),
  )
  const values = { ...filled, ...given }
  const found = await previewTemplate(key, values, {
    assistant: isBound ? exampleAssistant : null,
    now: context.system.now(),
  })
  if (!found)
    throw usageError(
      `The template ${key} has no definition with these parameters.`,
      `See its parameters: parley automate templates ${key}.`,
    )
  const { out, notes } = context
  if (out.settings.form === 'table') await out.line(stringifyJson({ trigger: found.trigger }, null, 2))
  else await out.record({ trigger: found.trigger }, { view: definitionView })
  const examples = Object.keys(filled).filter((it) => given[it] === undefined)
  const shown = [...examples.map((it) => `${it}=${values[it]}`), ...(isBound ? [`assistant ${exampleAssistant}`] : [])]
  if (shown.length > 0) await notes.note(`Examples, to be replaced: ${shown.join(', ')}.`)
}

/** Assistant in the definition of a template that belongs to one. */
const exampleAssistant = 1

const definitionView: View<object> = { id: () => '', columns: [], empty: '' }
