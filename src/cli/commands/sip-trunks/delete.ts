import { numbers } from '../../../contract/resources/numbers.ts'
import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmDeletion, inUseNote, printMessage } from '../../consent/delete-resource.ts'
import { withListHint } from '../../input/request-by-id.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { digitsNote } from '../numbers/view.ts'
import { argument, target } from './view.ts'

export const remove = command({
  confirmsName: true,
  summary: 'Delete a SIP trunk and its number immediately',
  endpoint: numbers.release,
  argument,
  examples: ['1', 'Reception --yes'],
  notes: `${digitsNote}\n${inUseNote}`,
  async run(context, { argument: given, flags }) {
    const id = await resolveId(context, given, target)
    if (await previewRequest(context, numbers.release, { id })) return
    // The release endpoint accepts every number: reading the trunk first prevents deleting another number by mistake.
    const { data } = await withListHint(target, () => context.call(sipTrunks.get, { id }))
    const named = data.nickname ? ` ("${data.nickname}")` : ''
    const confirmation = {
      question: `Delete SIP trunk ${id} at ${data.sip_address} and its number ${data.phone_number}${named}? Its calls end immediately; assistants and campaigns lose the number.`,
      refusalMessage: `Deleting SIP trunk ${id}${named} requires confirmation.`,
    }
    const list = await confirmDeletion(context, 'numbers', data, { confirmation, target, confirmed: flags.confirm })
    const { message } = await context.call(numbers.release, { id }, { history: { previous: data, list } })
    // The answer of the platform names only the number.
    const number = typeof data.phone_number === 'string' ? ` ${data.phone_number}` : ''
    const text = `Deleted SIP trunk ${id} and its number${number}.`
    await printMessage(context, message, id, /deleted/i.test(message) ? text : message)
  },
})
