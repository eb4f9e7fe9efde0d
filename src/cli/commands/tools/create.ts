import { tools } from '../../../contract/resources/tools.ts'
import { exportedFieldsParser } from '../../as-code/exported-fields.ts'
import { command } from '../../commandline/command.ts'
import { sendRequest } from '../../connection/send-request.ts'
import { printWriteResult } from '../../output/print-result.ts'
import { promptMissingFields } from '../../prompts/prompt-fields.ts'
import { view } from './view.ts'

export const create = command({
  endpoint: tools.create,
  documentParser: exportedFieldsParser({
    kind: async () => (await import('../../as-code/kinds/tools.ts')).tools,
    update: tools.update,
  }),
  flags: [
    {
      flags: '--from-automation <id>',
      describe: 'Id or name of an automation to call; sets the endpoint, method and parameters of the tool',
    },
  ],
  examples: [
    '--name weather --description "Get the weather in a town" --endpoint https://weather.example/{town} --method GET --schema \'[{"name":"town","type":"string","description":"Name of the town","required":true}]\'',
    '--file tool.yaml',
  ],
  view,
  async run(context, { input, flags }) {
    const from =
      flags.fromAutomation === undefined
        ? {}
        : await (await import('./automation-tool.ts')).toolFromAutomation(context, String(flags.fromAutomation))
    const answer = await sendRequest(
      context,
      tools.create,
      await promptMissingFields(context, tools.create, { ...from, ...input }),
    )
    if (answer) await printWriteResult(context, answer.message, answer.data, `parley tools get ${answer.data.id}`)
  },
})
