import * as z from 'zod'
import { id, paging, text } from './shared.ts'

/** What folders and labels share: both only sort assistants. */
export const colors = ['gray', 'slate', 'red', 'orange', 'amber', 'green', 'teal', 'blue', 'purple', 'pink'] as const

export const Grouping = z.object({
  id: z.int(),
  name: z.string(),
  color: z.enum(colors).nullable(),
  assistants_count: z.int(),
})
export type Grouping = z.output<typeof Grouping>

/** Its lists are paged with a short envelope: no links, no last page. */
export const groupingPage = z.object({ data: z.array(Grouping), current_page: z.int(), per_page: z.int(), total: z.int() })

const name = text(255, 1).describe('Name, unique, at most 255 characters')
const color = z.enum(colors).nullable().describe('Colour; null for none')

export const groupingQuery = z.object(paging(15))
export const groupingDraft = z.object({ name, color: color.optional() })
export const groupingChange = z.object({ name, color }).partial()
export const groupingPath = (what: string) => z.object({ id: id.describe(`Id of the ${what}`) })
