import { isDeepStrictEqual } from 'node:util'
import { tools as endpoints, type Tool } from '../../../contract/resources/tools.ts'
import { rejectUnsendableHeaders, trimmedHeaders } from '../../input/tool-headers.ts'
import { normalizeDocument, orderedFields } from './document-fields.ts'
import type { FileKind } from './file-kind.ts'

const fields = Object.keys(endpoints.create.body.shape)

/** Tools. Those of automations are created with the automation and have no files. */
export const tools: FileKind = {
  noun: 'tools',
  singular: 'tool',
  resourceKind: 'tools',
  references: [],
  documentSchema: endpoints.create.body,
  endpoints,
  updateSchema: endpoints.update.body,
  list: async ({ call }) => (await call(endpoints.list, {})).filter((it) => it.type !== 'automation'),
  get: ({ call }, id) => call(endpoints.get, { id: Number(id) }),
  toContent: (raw) => orderedFields(raw, fields),
  normalize: async (document, file) => trimmedHeaders(normalizeDocument(document, endpoints.create.body, file)),
  check(content, live, path) {
    if (!isDeepStrictEqual(content.headers, live?.headers)) rejectUnsendableHeaders(content, `${path}: `)
  },
  create: async ({ call }, content) => ({ id: ((await call(endpoints.create, content as never)).data as Tool).id }),
  async update({ call }, id, change, { history }) {
    await call(endpoints.update, { ...change, id: Number(id) }, history && { history })
    return { id }
  },
  async remove({ call }, id, history) {
    await call(endpoints.delete, { id: Number(id) }, { history })
  },
}
