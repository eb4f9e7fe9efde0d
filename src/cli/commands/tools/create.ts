import { tools } from '../../../contract/tools.ts'
import { readsPulled } from '../../as-code/pulled-fields.ts'
import { command } from '../../command.ts'
import { askMissing } from '../../missing.ts'
import { send } from '../../requests.ts'
import { printMade } from '../../result.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: tools.create,
  reads: readsPulled({ kind: async () => (await import('../../as-code/kinds/tools.ts')).tools, update: tools.update }),
  flags: [{ flags: '--from-automation <id>', describe: 'Id or name of an automation to ask: its address, method and parameters become those of the tool' }],
  examples: [
    '--name weather --description "Tell the weather in a town" --endpoint https://weather.example/{town} --method GET --schema \'[{"name":"town","type":"string","description":"Name of the town","required":true}]\'',
    '--file tool.yaml',
  ],
  view,
  async run(context, { input, flags }) {
    const from = flags.fromAutomation === undefined ? {} : await (await import('./from-automation.ts')).toolOf(context, String(flags.fromAutomation))
    const answer = await send(context, tools.create, await askMissing(context, tools.create, { ...from, ...input }))
    if (answer) await printMade(context, answer.message, answer.data, `parley tools get ${answer.data.id}`)
  },
})
