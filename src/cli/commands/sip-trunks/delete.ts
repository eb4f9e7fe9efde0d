import { numbers } from '../../../contract/resources/numbers.ts'
import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmDeletion, inUseNote, printMessage } from '../../consent/delete-resource.ts'
import { resolveId } from '../../input/resolve-target.ts'
import { digitsNote } from '../numbers/view.ts'
import { argument, target } from './view.ts'

export const remove = command({
  summary: 'Delete a SIP trunk at once, and with it the number it is',
  endpoint: numbers.release,
  argument,
  examples: ['1', 'Reception --yes'],
  notes: `${digitsNote}\n${inUseNote}`,
  async run(context, { argument: given, flags }) {
    const id = await resolveId(context, given, target)
    if (await previewRequest(context, numbers.release, { id })) return
    // Releasing works for every number: one that is no trunk must not go by mistake.
    const { data } = await context.call(sipTrunks.get, { id })
    const named = data.nickname ? ` ("${data.nickname}")` : ''
    const confirmation = {
      question: `Delete SIP trunk ${id} at ${data.sip_address}, and with it the number ${data.phone_number}${named}? Calls over it end at once; assistants and campaigns lose the number.`,
      refusalMessage: `Deleting SIP trunk ${id} needs consent.`,
    }
    await confirmDeletion(context, 'numbers', data, { confirmation, target, confirmed: flags.confirm })
    const { message } = await context.call(numbers.release, { id })
    // The platform speaks of the number that a trunk is.
    const number = typeof data.phone_number === 'string' ? ` ${data.phone_number}` : ''
    const text = `SIP trunk ${id} deleted, and with it the number${number}.`
    await printMessage(context, message, id, /deleted/i.test(message) ? text : message)
  },
})
