import type * as z from 'zod'
import { ClientFailure } from '../../../client/failures/client-failure.ts'
import { findItem } from '../../../client/find-item.ts'
import { readAllItems } from '../../../client/read-all-pages.ts'
import type { Endpoint } from '../../../contract/endpoint/endpoint.ts'
import type { ResourceRecord } from '../../../contract/values/json-object.ts'
import type { Context } from '../context.ts'
import { normalizeDocument, orderedFields } from '../documents/document-fields.ts'
import { pathId } from '../input/ids.ts'
import type { ResourceFiles } from './resource-files.ts'

interface RecordEndpoints {
  readonly list: Endpoint
  readonly get?: Endpoint
  readonly create?: Endpoint
  readonly update?: Endpoint
  readonly delete?: Endpoint
}

type Base = Pick<ResourceFiles, 'noun' | 'singular' | 'resourceKind' | 'documentSchema' | 'updateSchema'> &
  Partial<Pick<ResourceFiles, 'references' | 'nameField'>>

/** Builds a kind of resources whose files hold the fields of a record, from its endpoints. */
export function recordFiles(
  base: Base,
  endpoints: RecordEndpoints,
): ResourceFiles & Required<Pick<ResourceFiles, 'remove'>> {
  const { singular, documentSchema, nameField } = base
  const list = ({ call, system }: Context): Promise<ResourceRecord[]> =>
    readAllItems<ResourceRecord>(call, endpoints.list, {}, { signal: system.signal })
  const write = async (
    { call }: Context,
    endpoint: Endpoint | undefined,
    input: ResourceRecord,
    history?: object,
  ): Promise<ResourceRecord> => {
    if (!endpoint) throw new TypeError(`A ${singular} has no endpoint for this write.`)
    const output = (await call(endpoint, input, history && { history })) as { readonly data: ResourceRecord }
    return output.data
  }
  return {
    references: [],
    ...base,
    endpoints,
    list,
    async get(context, id) {
      const found = endpoints.get
        ? await write(context, endpoints.get, { id: pathId(id) })
        : await findItem<ResourceRecord>(context.call, endpoints.list, {}, id, { signal: context.system.signal })
      if (found) return found
      throw new ClientFailure({ exit: 'not_found', code: 'not_found', message: `The ${singular} ${id} was not found.` })
    },
    toContent: (raw) => orderedFields(raw, Object.keys(documentSchema.shape as Record<string, z.ZodType>)),
    normalize: async (document, file) => normalizeDocument(document, documentSchema, file, nameField),
    create: async (context, content) => ({
      id: (await write(context, endpoints.create, content)).id as number,
    }),
    async update(context, id, change, { history }) {
      await write(context, endpoints.update, { ...change, id: pathId(id) }, history)
      return { id }
    },
    async remove(context, id, history) {
      await write(context, endpoints.delete, { id: pathId(id) }, history)
    },
  }
}
