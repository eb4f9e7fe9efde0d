import { tools } from '../../../contract/resources/tools.ts'
import { exportedFieldsParser } from '../../as-code/exported-fields.ts'
import { createCommand } from '../../commandline/create-command.ts'
import { view } from './view.ts'

export const create = createCommand({
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
  inputFrom: async (context, { fromAutomation }) =>
    fromAutomation === undefined
      ? {}
      : (await import('./automation-tool.ts')).toolFromAutomation(context, String(fromAutomation)),
  next: (id) => `parley tools get ${id}`,
})
