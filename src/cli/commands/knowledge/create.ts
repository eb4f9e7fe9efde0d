import { knowledge } from '../../../contract/knowledge.ts'
import { command } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: knowledge.create,
  examples: ['--name "Price list"', '--name Insurers --description "Plans the practice accepts" -o id'],
  view,
  async run(context, { input }) {
    const answer = await send(context, knowledge.create, await askMissing(context, knowledge.create, input))
    if (answer) await printMade(context, answer.message, answer.data, `parley knowledge documents create ${answer.data.id}`)
  },
})
