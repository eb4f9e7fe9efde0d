import { knowledge } from '../../../contract/knowledge.ts'
import { readBefore, resolveThing } from '../../before.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { usage } from '../../usage.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  async run(context, { argument: given, input }) {
    if (Object.keys(input).length === 0) throw usage('Nothing to change was given.', 'Give --name or --description.')
    const { id, seen } = await resolveThing(context, given, target)
    const before = await readBefore(context, seen, async ({ call }) => (await call(knowledge.get, { id })).data)
    await applyUpdate(context, { endpoint: knowledge.update, ids: { id }, change: input, before, next: `parley knowledge get ${id}` })
  },
})
