import { numbers } from '../../../contract/resources/numbers.ts'
import { sipTrunks } from '../../../contract/resources/sip-trunks.ts'
import { command } from '../../commandline/command.ts'
import { previewRequest } from '../../connection/send-request.ts'
import { confirmDeletion, inUseNote, printMessage } from '../../consent/delete-resource.ts'
import { readBeforeWrite } from '../../history/undo-unavailable.ts'
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
    const readAt = context.pauses()
    const id = await resolveId(context, given, target)
    if (await previewRequest(context, numbers.release, { id })) return
    // The release endpoint accepts every number: reading the trunk first prevents deleting another number by mistake.
    const { data } = await withListHint(target, () =>
      readBeforeWrite('SIP trunk', () => context.call(sipTrunks.get, { id }), ''),
    )
    const { item, list } = await confirmDeletion(context, {
      it: data,
      readAt,
      target,
      endpoint: numbers.release,
      dependencyKind: 'numbers',
      confirmed: flags.confirm,
      buildQuestion(it) {
        const named = it.nickname ? ` ("${it.nickname}")` : ''
        return {
          question: `Delete SIP trunk ${id} at ${it.sip_address} and its number ${it.phone_number}${named}? Its calls end immediately; assistants and campaigns lose the number.`,
          refusalMessage: `Deleting SIP trunk ${id}${named} requires confirmation.`,
        }
      },
    })
    const history = { previous: item, ...(list && { list }) }
    const { message } = await context.call(numbers.release, { id }, { history })
    // The answer of the platform names only the number.
    const number = typeof data.phone_number === 'string' ? ` ${data.phone_number}` : ''
    const text = `Deleted SIP trunk ${id} and its number${number}.`
    await printMessage(context, message, id, /deleted/i.test(message) ? text : message)
  },
})
