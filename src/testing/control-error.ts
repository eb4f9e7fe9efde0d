import { parseJson } from '../node/json.ts'
import type { ControlError } from '../platform.ts'

/** Returns the error of a response of the control API, with the status and the invalid fields. */
export function controlError(
  request: string,
  answer: { readonly status: number; readonly body: string },
): ControlError {
  let parsed: { readonly message?: string; readonly errors?: ControlError['errors'] } = {}
  try {
    parsed = parseJson(answer.body) as typeof parsed
  } catch {}
  const { message = answer.body, errors = {} } = parsed
  const fields = Object.values(errors).flat()
  const more = fields.filter((it) => !message.includes(it))
  const text = [message, ...more].join(' ')
  return Object.assign(new Error(`${request} failed with status ${answer.status}: ${text}`), {
    name: 'ControlError' as const,
    status: answer.status,
    errors,
  })
}
