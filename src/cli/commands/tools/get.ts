import { tools } from '../../../contract/resources/tools.ts'
import { getCommand } from '../../commandline/get-command.ts'
import { maskToolCredentials, unmaskFlag } from '../../secrets/tool-credentials.ts'
import { target, view } from './view.ts'

export const get = getCommand({
  endpoint: tools.get,
  argument: { name: 'id', describe: 'Id or name of the tool' },
  flags: [unmaskFlag],
  examples: ['1', 'lookup_patient -o yaml', '1 --unmask'],
  view,
  target,
  toShown: (_, tool, { unmask }) => (unmask ? tool : maskToolCredentials(tool as never)),
})
