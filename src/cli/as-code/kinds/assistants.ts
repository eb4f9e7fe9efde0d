import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { modeSettings } from '../../../contract/assistants/engine-modes.ts'
import { assistants as endpoints } from '../../../contract/resources/assistants.ts'
import { references } from '../../../contract/resources/resource-references.ts'
import type { Context } from '../../context.ts'
import type { ResourceRecord } from '../../updates/previous-record.ts'
import { normalizeDocument, orderedFields } from './document-fields.ts'
import type { FileKind } from './file-kind.ts'

const fields = Object.keys(endpoints.create.body.shape)

const listAssistants = ({ call, system }: Context): Promise<ResourceRecord[]> =>
  readAllItems(call, endpoints.list, {}, { signal: system.signal })

export const assistants: FileKind = {
  noun: 'assistants',
  singular: 'assistant',
  resourceKind: 'assistants',
  references: references.assistants,
  documentSchema: endpoints.create.body,
  updateSchema: endpoints.update.body,
  list: listAssistants,
  async get(context, id) {
    const found = (await listAssistants(context)).find((it) => it.id === id)
    if (!found) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `Assistant ${id} not found.` })
    return found
  },
  toContent: (raw) => orderedFields(raw, fields),
  normalize: async (document, file) => normalizeDocument(document, endpoints.create.body, file),
  companionFields: ({ mode }) => (mode === undefined ? [] : Object.keys(modeSettings)),
  create: async ({ call }, content) => ({ id: (await call(endpoints.create, content as never)).data.id }),
  async update({ call }, id, change, { history }) {
    await call(endpoints.update, { ...change, id: Number(id) }, history && { history })
    return { id }
  },
  async remove({ call }, id, history) {
    await call(endpoints.delete, { id: Number(id) }, { history })
  },
}
