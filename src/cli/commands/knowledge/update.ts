import { knowledge } from '../../../contract/knowledge.ts'
import { readBefore, resolveThing } from '../../before.ts'
import { askChanges, refuseNothing } from '../../changing.ts'
import { command } from '../../command.ts'
import { applyUpdate } from '../../updating.ts'
import { argument, target, view } from './view.ts'

export const update = command({
  endpoint: knowledge.update,
  argument,
  examples: ['1 --name "Patient handbook"', '1 --description null'],
  view,
  async run(context, { argument: given, input }) {
    refuseNothing(context, input, 'Give --name or --description.')
    const { id, seen } = await resolveThing(context, given, target)
    const before = await readBefore(context, seen, async ({ call }) => (await call(knowledge.get, { id })).data)
    await applyUpdate(context, {
      endpoint: knowledge.update,
      ids: { id },
      change: await askChanges(context, input),
      before,
      next: `parley knowledge get ${id}`,
    })
  },
})
