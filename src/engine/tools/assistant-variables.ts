import type { Micros } from '../../contract/values/micros.ts'
import { stringifyJson } from '../../node/json.ts'

/** Values by variable name, as prompts, tools and texts of assistants insert them. */
export type Variables = Readonly<Record<string, unknown>>

const variablePattern = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g

const toText = (value: unknown): string => (typeof value === 'string' ? value : stringifyJson(value))

/**
 * Returns the text with each `{{name}}` replaced by the variable of that name. The placeholder of an unknown variable
 * stays, so that it is noticed.
 */
export const fillVariables = (text: string, variables: Variables): string =>
  text.replace(variablePattern, (given, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    return value === undefined || value === null ? given : toText(value)
  })

/**
 * Returns the variables every assistant has: its id and name, and the current date and time in its time zone. Prompts of
 * users have these names: they never change.
 */
export function systemVariables(
  assistant: { readonly uuid: string; readonly name: string; readonly timezone: string },
  now: Micros,
): Variables {
  const [date = '', time = ''] = new Date(now / 1000)
    .toLocaleString('sv-SE', { timeZone: assistant.timezone })
    .split(' ')
  return {
    assistant_id: assistant.uuid,
    assistant_name: assistant.name,
    current_date: date,
    current_time: time.slice(0, 5),
  }
}
