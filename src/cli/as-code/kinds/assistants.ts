import { ClientFailure } from '../../../client/failure.ts'
import { pages } from '../../../client/pages.ts'
import { modeSettings } from '../../../contract/assistant-modes.ts'
import { assistants as endpoints } from '../../../contract/assistants.ts'
import { references } from '../../../contract/references.ts'
import type { Known } from '../../before.ts'
import type { Context } from '../../context.ts'
import type { AsCode } from '../kind.ts'
import { inOrder, plain } from './fields.ts'

const fields = Object.keys(endpoints.create.body.shape)

async function all({ call, world }: Context): Promise<Known[]> {
  const found: Known[] = []
  for await (const it of pages(call, endpoints.list, {}, { all: true, signal: world.signal })) found.push(it as Known)
  return found
}

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
