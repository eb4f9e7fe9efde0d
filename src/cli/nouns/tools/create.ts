import { type Tool, tools } from '../../../contract/resources/tools.ts'
import { createCommand } from '../../program/commandline/create-command.ts'
import { exportedFieldsParser } from '../../program/documents/exported-fields.ts'
import { sendableHeaders } from '../../program/input/tool-headers.ts'
import { maskToolCredentials } from '../../program/secrets/tool-credentials.ts'
import { shorthandFlags, withShorthands } from './field-shorthands.ts'
import { view } from './view.ts'
import { warnAboutPlaceholders } from './warn-about-placeholders.ts'

export const create = createCommand({
  endpoint: tools.create,
  documentParser: exportedFieldsParser({
    kind: 'tools',
    update: tools.update,
  }),
  flags: [
    ...shorthandFlags,
    {
      flags: '--from-automation <id>',
      describe: 'Id or name of an automation to call; sets the endpoint, method and parameters of the tool',
    },
  ],
  examples: [
    '--name weather --description "Get the weather in a town" --endpoint https://weather.example/{town} --method GET --param town:string:required --header "X-Api-Key: your-key"',
    '--file tool.yaml',
  ],
  notes:
    '--param takes name:type, then :required and =description: "town:string:required=Name of the town". Types: string, number, float, boolean.',
  view,
  inputFrom: async (context, { fromAutomation }) => {
    if (fromAutomation === undefined) return {}
    return (await import('./automation-tool.ts')).toolFromAutomation(context, String(fromAutomation))
  },
  editInput: (input, flags, context) => sendableHeaders(context, withShorthands(input, flags)),
  mask: maskToolCredentials,
  warn: (context, data) => warnAboutPlaceholders(context, data.id, data as Tool),
  next: (id) => `parley tools get ${id}`,
})
