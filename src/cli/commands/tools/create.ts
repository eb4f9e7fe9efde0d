import { tools } from '../../../contract/tools.ts'
import { command } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: tools.create,
  examples: [
    '--name weather --description "Tell the weather in a town" --endpoint https://weather.example/{town} --method GET --schema \'[{"name":"town","type":"string","description":"Name of the town","required":true}]\'',
    '--file tool.yaml',
  ],
  view,
  async run(context, { input }) {
    const answer = await send(context, tools.create, await askMissing(context, tools.create, input))
    if (answer) await printMade(context, answer.message, answer.data, `parley tools get ${answer.data.id}`)
  },
})
