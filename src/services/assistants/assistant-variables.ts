import type { Micros } from '../../jobs/clock.ts'

export type Variables = Readonly<Record<string, unknown>>

const variablePattern = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g

const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** The text with `{{name}}` replaced by the variable of that name; a name nobody set stays as it is, so that it is seen. */
export const fillVariables = (text: string, variables: Variables): string =>
  text.replace(variablePattern, (given, name: string) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    return value === undefined || value === null ? given : toText(value)
  })

/** What every assistant knows without being told: who it is, and day and time where it is. */
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
