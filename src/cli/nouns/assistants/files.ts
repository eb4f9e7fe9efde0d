import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import { modeSettings } from '../../../contract/assistants/engine-modes.ts'
import { references } from '../../../contract/references/resource-references.ts'
import { assistants as endpoints } from '../../../contract/resources/assistants.ts'
import * as z from '../../../contract/schema/schema.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context, WriteHistory } from '../../program/context.ts'
import { normalizeDocument, orderedFields } from '../../program/documents/document-fields.ts'
import { pathId } from '../../program/input/ids.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const inboundWebhook = {
  inbound_webhook_url: endpoints.enableInboundWebhook.body.shape.webhook_url.nullable().optional(),
}
const documentSchema = z.object({ ...endpoints.create.body.shape, ...inboundWebhook })
const fields = Object.keys(documentSchema.shape)

const listAssistants = ({ call, system }: Context): Promise<ResourceRecord[]> =>
  readAllItems(call, endpoints.list, {}, { signal: system.signal })

/**
 * Assistants as files of a project, which pull, push, diff and promote manage. Files of users have `noun` as the name of
 * their folder, and the names of fields: they are added, not renamed.
 */
export const assistants: ResourceFiles = {
  noun: 'assistants',
  singular: 'assistant',
  resourceKind: 'assistants',
  references: references.assistants,
  documentSchema,
  endpoints,
  updateSchema: z.object({ ...endpoints.update.body.shape, ...inboundWebhook }),
  list: listAssistants,
  async get({ call, system }, id) {
    const found = await findItem<ResourceRecord>(call, endpoints.list, {}, id, { signal: system.signal })
    if (!found) throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `Assistant ${id} not found.` })
    return found
  },
  toContent: (raw) => orderedFields(raw, fields),
  normalize: async (document, file) => normalizeDocument(document, documentSchema, file),
  companionFields: ({ mode }) => (mode === undefined ? [] : Object.keys(modeSettings)),
  async create(context, { inbound_webhook_url: url, ...content }) {
    const { id } = (await context.call(endpoints.create, content as never)).data
    if (typeof url === 'string') await setInboundWebhook(context, id, url)
    return { id }
  },
  async update(context, id, { inbound_webhook_url: url, ...change }, { history }) {
    const isUpdated = url === undefined || Object.keys(change).length > 0
    if (isUpdated) await context.call(endpoints.update, { ...change, id: pathId(id) }, history && { history })
    // An update has changed the assistant, so that it is read again for the history.
    if (url !== undefined) await setInboundWebhook(context, pathId(id), url, isUpdated ? undefined : history)
    return { id }
  },
  async remove({ call }, id, history) {
    await call(endpoints.delete, { id: pathId(id) }, { history })
  },
}

/** Sets or removes the webhook of inbound calls, which has endpoints of its own. */
async function setInboundWebhook({ call }: Context, id: number, url: unknown, history?: WriteHistory): Promise<void> {
  const more = history && { history }
  if (typeof url === 'string') await call(endpoints.enableInboundWebhook, { assistant_id: id, webhook_url: url }, more)
  else await call(endpoints.disableInboundWebhook, { assistant_id: id }, more)
}
