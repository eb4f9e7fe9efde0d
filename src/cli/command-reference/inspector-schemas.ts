import * as z from '../../contract/schema/schema.ts'

const InspectorLink = z.object({
  url: z.string().describe('Link that signs in once'),
  page: z.string().describe('Address of the page'),
})

/** Output of the commands that open the inspector. */
export const inspectorSchemas = { ui: InspectorLink, open: InspectorLink }
