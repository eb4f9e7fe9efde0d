import { automate } from '../../../contract/automate.ts'
import { command, repeated } from '../../command.ts'
import { resolveItem } from '../../target.ts'
import { usage } from '../../usage.ts'
import { builtView, printBuilt } from './built.ts'
import { sendConfirmed } from './sending.ts'
import { target } from './templates.ts'

export const apply = command({
  endpoint: automate.apply,
  argument: { name: 'key', describe: 'Key of the template' },
  flags: [{ flags: '--param <key=value>', describe: 'A parameter of the template, as text; repeatable', repeatable: true, field: 'params' }],
  examples: ['after_call_note --assistant-id 1 --param url=https://crm.example', 'after_call_note --params @params.json --name "Call notes"'],
  notes: 'What templates there are, and their parameters: parley automate templates. It is tested and switched on as with create.',
  view: builtView,
  async run(context, { argument, input, flags }) {
    const key = argument ?? String((await resolveItem(context, undefined, target)).key)
    const params = { ...(input.params as object | undefined), ...Object.fromEntries(repeated(flags, 'param').map(pair)) }
    const body = { ...input, ...(Object.keys(params).length > 0 && { params }), key }
    const answer = await sendConfirmed(context, automate.apply, body, 'Building and testing')
    return answer && printBuilt(context, answer, 'created')
  },
})

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`--param takes key=value, not "${text}".`)
  return [text.slice(0, at), text.slice(at + 1)]
}
