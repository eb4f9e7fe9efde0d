import { knowledge } from '../../../contract/resources/knowledge.ts'
import { updateCommand } from '../../commandline/update-command.ts'
import { argument, target, view } from './view.ts'

export const update = updateCommand({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  target,
  read: async ({ call }, id) => (await call(knowledge.get, { id })).data,
  changesHint: 'Pass --name or --description.',
  next: (id) => `parley knowledge get ${id}`,
})
