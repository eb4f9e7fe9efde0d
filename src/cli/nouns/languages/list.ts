import { type Language, languages } from '../../../contract/resources/languages.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import type { View } from '../../program/output/form.ts'

const view: View<Language> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'iso_2', title: 'Code', priority: 1 },
    { key: 'name', title: 'Name', priority: 1 },
  ],
  empty: 'No languages.',
}

export const list = listCommand({
  endpoint: languages.list,
  examples: ['', '--fields iso_2,name --no-header'],
  view,
})
