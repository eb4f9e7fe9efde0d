import { AutomationTemplate, type TemplateParam } from '../../../contract/automations/automation-records.ts'
import { automate } from '../../../contract/resources/automate.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { resolveItem, type Target } from '../../input/resolve-target.ts'
import type { View } from '../../output/form.ts'
import { printList } from '../../output/print-list.ts'

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
  examples: ['', '--json', 'post-call-callback'],
  view,
  async run(context, { argument, input }) {
    if (argument === undefined) return printList(context, automate.templates, input)
    if (await previewRequest(context, automate.templates, input)) return
    const found = (await resolveItem(context, argument, target)) as unknown as AutomationTemplate
    const { out, system, notes } = context
    if (out.settings.form !== 'table' || out.settings.fields)
      return out.record(found, { schema: AutomationTemplate, view } as never)
    const { params, test_sample: _, ...about } = found
    await out.record(about)
    await system.streams.stdout.write('\n')
    await out.list(Array.isArray(params) ? params : [], { view: paramView })
    await notes.note(`Next: parley automate apply ${found.key}`)
  },
})
