import type { Context } from './context.ts'

/** Whether a person at a terminal should be told what a list takes the place of: the price is one more request, so scripts do not pay it. */
export const replacesLists = (context: Context, input: Readonly<Record<string, unknown>>): boolean =>
  context.interactive && Object.values(input).some(Array.isArray)

/** Says of each list that is sent how many entries it replaces. */
export async function tellReplaced(context: Context, before: Readonly<Record<string, unknown>>, input: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(input)) {
    const old = before[name]
    if (Array.isArray(value) && Array.isArray(old)) await context.notes.note(`${name}: ${value.length} in place of ${old.length}.`)
  }
}
