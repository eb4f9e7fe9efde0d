import { automate } from '../../../contract/automate.ts'
import type { AutomationTemplate } from '../../../contract/automation-records.ts'
import { command } from '../../command.ts'
import type { View } from '../../output/form.ts'
import { printList } from '../../requests.ts'
import type { Target } from '../../target.ts'

const needed = ({ params }: AutomationTemplate): string =>
  (Array.isArray(params) ? params : [])
    .filter((it) => it?.required)
    .map((it) => it.key)
    .join(', ')

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

export const target: Target = { thing: 'template', list: automate.templates, by: ['key', 'name'], label: (it) => `${it.name}: ${it.use_when} (${it.key})` }

export const templates = command({
  endpoint: automate.templates,
  examples: ['', '--json'],
  view,
  run: (context, { input }) => printList(context, automate.templates, input),
})
