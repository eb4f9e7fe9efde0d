import { isDeepStrictEqual } from 'node:util'
import { webhookPath } from '../../../contract/automations/webhook-path.ts'
import { automationIdAt } from '../../../contract/references/resource-references.ts'
import { tools as endpoints, type Tool } from '../../../contract/resources/tools.ts'
import * as z from '../../../contract/schema/schema.ts'
import { normalizeDocument, orderedFields } from '../../program/documents/document-fields.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { pathId } from '../../program/input/ids.ts'
import { requireSendableHeaders, trimmedHeaders } from '../../program/input/tool-headers.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const { name, description, endpoint, ...others } = endpoints.create.body.shape
/**
 * A file names the automation that the tool calls instead of its address, so that it applies to any account. Users commit
 * such files: fields are added, not renamed.
 */
const documentSchema = z.object({
  name,
  description,
  endpoint,
  automation: z.string().optional().describe('Automation to call, instead of an endpoint'),
  ...others,
})
const fields = Object.keys(documentSchema.shape)

/** Returns the automation whose synchronous webhook an endpoint is. */
const calledAutomation = (address: unknown): string | undefined =>
  typeof address === 'string' && address.endsWith('/sync') ? automationIdAt(address) : undefined

/**
 * Tools. One that calls an automation of the account has its name in `automation` instead of an endpoint. Folders of users
 * have `noun` as their name: it never changes.
 */
export const tools: ResourceFiles = {
  noun: 'tools',
  singular: 'tool',
  resourceKind: 'tools',
  references: [{ path: 'automation', to: 'automate' }],
  requiredReferences: ['automation'],
  documentSchema,
  endpoints,
  updateSchema: endpoints.update.body,
  list: ({ call }) => call(endpoints.list, {}),
  get: ({ call }, id) => call(endpoints.get, { id: pathId(id) }),
  toContent(raw) {
    const automation = raw.type === 'automation' ? calledAutomation(raw.endpoint) : undefined
    return orderedFields(automation === undefined ? raw : { ...raw, endpoint: null, automation }, fields)
  },
  async withReferences(content, nameOf) {
    const id = calledAutomation(content.endpoint)
    const automation = id && (await nameOf(id, { to: 'automate', path: 'automation' }))
    // An automation without a unique name, or of another account, is called by its address.
    return automation === id ? content : orderedFields({ ...content, endpoint: null, automation }, fields)
  },
  async normalize(document, file) {
    const content = normalizeDocument(document, documentSchema, file)
    if (content.endpoint !== undefined && content.automation !== undefined)
      throw usageError(`${file}: endpoint and automation cannot be combined.`, 'Remove one of them.')
    return trimmedHeaders(
      content.automation === undefined ? content : orderedFields({ method: 'POST', ...content }, fields),
    )
  },
  async toRequest(context, { automation, ...content }) {
    if (automation === undefined) return content
    const { base } = await context.connection()
    // The local platform finds the automation by the path.
    const origin = /^https?:/.test(base) ? base.replace(/\/+$/, '') : 'http://127.0.0.1'
    return { ...content, endpoint: `${origin}${webhookPath(String(automation))}/sync` }
  },
  check(content, live, path, changed) {
    if (live?.type === 'automation' && changed.includes('automation'))
      throw usageError(
        `${path}: automation: The platform linked the tool to its automation, and does not change the link. Nothing was changed.`,
        `Delete the tool, then push its file: parley tools delete ${live.id}.`,
      )
    if (!isDeepStrictEqual(content.headers, live?.headers)) requireSendableHeaders(content, `${path}: `)
  },
  create: async ({ call }, content) => ({ id: ((await call(endpoints.create, content as never)).data as Tool).id }),
  async update({ call }, id, change, { history }) {
    await call(endpoints.update, { ...change, id: pathId(id) }, history && { history })
    return { id }
  },
  async remove({ call }, id, history) {
    await call(endpoints.delete, { id: pathId(id) }, { history })
  },
}
