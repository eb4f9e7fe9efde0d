import { type Model, models } from '../../../contract/resources/models.ts'
import { listCommand } from '../../program/commandline/list-command.ts'
import type { View } from '../../program/output/form.ts'

const view: View<Model> = {
  id: (it) => it.id,
  columns: [
    { key: 'id', title: 'ID', priority: 1, kind: 'number' },
    { key: 'name', title: 'Name', priority: 1 },
    { key: 'code', title: 'Code', priority: 2 },
  ],
  empty: 'No models of this type.',
}

export const list = listCommand({
  endpoint: models.list,
  examples: ['', '--type dualplex'],
  notes:
    'Use the id of an llm model as llm_model_id, in pipeline mode. Use the id of a multimodal or dualplex model as multimodal_model_id, in the mode of that name. Models of type llm have no code.',
  view,
})
