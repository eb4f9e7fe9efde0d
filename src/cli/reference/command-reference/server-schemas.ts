import * as z from '../../../contract/schema/schema.ts'

const text = z.string()

const InspectorLink = z.object({
  url: text.describe('Link that signs in once'),
  page: text.describe('Address of the page'),
})

/** Output of commands that start a server, check its data, or open its inspector. */
export const serverSchemas = {
  'server start': z.object({ url: text, key: text }),
  'server check': z.array(
    z.object({ what: text, status: z.enum(['ok', 'damaged', 'wrong', 'rebuilt', 'unreadable']), found: text }),
  ),
  ui: InspectorLink,
  open: InspectorLink,
}
