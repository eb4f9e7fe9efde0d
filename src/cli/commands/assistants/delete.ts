import { type Assistant, assistants } from '../../../contract/assistants.ts'
import { command } from '../../command.ts'
import { consent } from '../../consent.ts'
import { confirmDone } from '../../deletion.ts'
import { showOnly } from '../../requests.ts'
import { severe } from '../../severe.ts'
import { resolveId } from '../../target.ts'
import { allAssistants, notFound } from './record.ts'
import { argument, target } from './view.ts'

export const remove = command({
  endpoint: assistants.delete,
  argument,
  examples: ['2 --yes', '"Front desk" --confirm "Front desk"'],
  notes: 'One that is in use is deleted too, once its name is typed, or given with --confirm <name>. Its conversations stay.',
  async run(context, { argument, flags }) {
    const id = await resolveId(context, argument, target)
    if (await showOnly(context, assistants.delete, { id })) return
    const all: Assistant[] = []
    for await (const it of allAssistants(context)) all.push(it)
    const found = all.find((it) => it.id === id)
    if (!found) throw notFound(id)
    const { missedWith } = await import('../../references/assistant.ts')
    const touches = await missedWith(context, found, all)
    const ask = `Delete the assistant "${found.name}" (${id})?`
    const deleting = `Deleting the assistant "${found.name}"`
    if (touches.length === 0) await consent(context, { ask, without: `${deleting} needs consent.` })
    else {
      const without = `${deleting} needs its name as consent: it is in use.`
      await severe(context, { ask: `${ask} It is in use.`, without, touches, name: found.name, confirmed: flags.confirm })
    }
    const answer = await context.call(assistants.delete, { id })
    await confirmDone(context, answer.message, id)
  },
})
