import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { getCommand } from '../../commandline/get-command.ts'
import { argument, target, view } from './view.ts'

export const get = getCommand({
  endpoint: sipTrunks.get,
  argument,
  examples: ['1', 'Reception -o yaml'],
  notes: 'Digits are read as an id, or as a number if no such id exists.',
  view,
  target,
})
