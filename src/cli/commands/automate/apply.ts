import { automate } from '../../../contract/automate.ts'
import { command, repeated } from '../../command.ts'
import { usage } from '../../usage.ts'
import { builtView, printBuilt } from './built.ts'
import { askParams } from './params.ts'
import { sendConfirmed } from './sending.ts'

export const apply = command({
  exits: ['finding'],
  endpoint: automate.apply,
  argument: { name: 'key', describe: 'Key of the template' },
  flags: [{ flags: '--param <key=value>', describe: 'A parameter of the template, as text; repeatable', repeatable: true, field: 'params' }],
  examples: [
    'post-call-callback --assistant-id 1 --confirm-side-effects',
    'lead-intake-webhook --param campaign_id=1 --confirm-side-effects',
    'lead-intake-webhook --params @params.json --name "Leads of the website" --confirm-side-effects',
  ],
  notes: `What templates there are, and their parameters: parley automate templates [key]. On a terminal what is missing is asked for.
It is tested and switched on as with create; exit 20 when the test failed, and it stays off.`,
  view: builtView,
  async run(context, { argument, input, flags }) {
    const params = { ...(input.params as object | undefined), ...Object.fromEntries(repeated(flags, 'param').map(pair)) }
    const body = await askParams(context, argument, { ...input, ...(Object.keys(params).length > 0 && { params }) })
    const answer = await sendConfirmed(context, automate.apply, body, 'Building and testing')
    return answer && printBuilt(context, answer, 'created')
  },
})

function pair(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw usage(`--param takes key=value, not "${text}".`)
  return [text.slice(0, at), text.slice(at + 1)]
}
