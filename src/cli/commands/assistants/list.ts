import { assistants } from '../../../contract/resources/assistants.ts'
import { command } from '../../commandline/command.ts'
import { printList } from '../../output/print-list.ts'
import { maskingAssistants, unmaskFlag } from '../../secrets/assistant-credentials.ts'
import { view } from './view.ts'

export const list = command({
  endpoint: assistants.list,
  flags: [unmaskFlag],
  isList: true,
  examples: ['', '--all --json', '--fields id,name,mode,phone_number_id'],
  view,
  run: (context, { input, flags }) =>
    printList(flags.unmask ? context : maskingAssistants(context), assistants.list, input),
})
