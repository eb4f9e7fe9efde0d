import { tools as endpoints, type Tool } from '../../../contract/tools.ts'
import type { AsCode } from '../kind.ts'
import { inOrder, plain } from './fields.ts'

const fields = Object.keys(endpoints.create.body.shape)

/** Those that an automation is behind are made with it, and are no files. */
export const tools: AsCode = {
  noun: 'tools',
  thing: 'tool',
  named: 'tools',
  references: [],
  document: endpoints.create.body,
  changes: endpoints.update.body,
  all: async ({ call }) => (await call(endpoints.list, {})).filter((it) => it.type !== 'automation'),
  one: ({ call }, id) => call(endpoints.get, { id: Number(id) }),
  content: (raw) => inOrder(raw, fields),
  normal: async (document, file) => plain(document, endpoints.create.body, file),
  create: async ({ call }, content) => ({ id: ((await call(endpoints.create, content as never)).data as Tool).id }),
  async update({ call }, id, change) {
    await call(endpoints.update, { ...change, id: Number(id) })
    return { id }
  },
  async remove({ call }, id) {
    await call(endpoints.delete, { id: Number(id) })
  },
}
