import { knowledge } from '../../../contract/knowledge.ts'
import { command } from '../../command.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { resolveId } from '../../target.ts'
import { usage } from '../../usage.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  async run(context, { argument: given, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --description.')
    const id = await resolveId(context, given, target)
    const answer = await send(context, knowledge.update, { ...input, id })
    if (answer) await printMade(context, answer.message, answer.data, `parley knowledge get ${id}`)
  },
})
