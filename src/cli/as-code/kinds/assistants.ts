import { ClientFailure } from '../../../client/failure.ts'
import { everyItem } from '../../../client/whole-list.ts'
import { modeSettings } from '../../../contract/assistant-modes.ts'
import { assistants as endpoints } from '../../../contract/assistants.ts'
import { references } from '../../../contract/references.ts'
import type { Known } from '../../before.ts'
import type { Context } from '../../context.ts'
import type { AsCode } from '../kind.ts'
import { inOrder, plain } from './fields.ts'

const fields = Object.keys(endpoints.create.body.shape)

const all = ({ call, world }: Context): Promise<Known[]> => everyItem(call, endpoints.list, {}, { signal: world.signal })

export const assistants: AsCode = {
  noun: 'assistants',
  thing: 'assistant',
  named: 'assistants',
  references: references.assistants,
  document: endpoints.create.body,
  changes: endpoints.update.body,
  all,
  async one(context, id) {
    const found = (await all(context)).find((it) => it.id === id)
    if (!found) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `There is no assistant ${id}.` })
    return found
  },
  content: (raw) => inOrder(raw, fields),
  normal: async (document, file) => plain(document, endpoints.create.body, file),
  along: ({ mode }) => (mode === undefined ? [] : Object.keys(modeSettings)),
  create: async ({ call }, content) => ({ id: (await call(endpoints.create, content as never)).data.id }),
  async update({ call }, id, change) {
    await call(endpoints.update, { ...change, id: Number(id) })
    return { id }
  },
  async remove({ call }, id) {
    await call(endpoints.delete, { id: Number(id) })
  },
}
