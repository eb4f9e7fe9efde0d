import { knowledge } from '../../../contract/resources/knowledge.ts'
import { createCommand } from '../../commandline/create-command.ts'
import { view } from './view.ts'

export const create = createCommand({
  endpoint: knowledge.create,
  examples: ['--name "Price list"', '--name Insurers --description "Plans the practice accepts" -o id'],
  view,
  next: (id) => `parley knowledge documents create ${id}`,
})
