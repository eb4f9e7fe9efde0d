import { knowledge } from '../../../contract/resources/knowledge.ts'
import { getCommand } from '../../commandline/get-command.ts'
import { argument, target, view } from './view.ts'

export const get = getCommand({
  endpoint: knowledge.get,
  argument,
  examples: ['1', '"Practice handbook" -o yaml'],
  view,
  target,
})
