import { ClientFailure } from '../../../client/failures/client-failure.ts'
import type { Context } from '../context.ts'

/**
 * Returns an error about an undocumented response, if this run received one. Otherwise returns the error itself, which
 * is an internal one.
 */
export function explainUnexpectedResponse(context: Context, error: Error): Error {
  for (const [endpoint, output] of [...context.responses].reverse()) {
    const checked = endpoint.output.safeParse(output)
    if (checked.success) continue
    const [{ path, message } = { path: [], message: '' }] = checked.error.issues
    return Object.assign(
      new ClientFailure({
        exit: 'platform',
        code: 'unexpected_answer',
        message: `Invalid response to ${endpoint.name}: ${path.join('.') || 'whole response'}: ${message.replace(/^Invalid input: /, '').replace('undefined', 'nothing')}.`,
        hint: `${endpoint.risk === 'read' ? '' : 'The request was processed. '}Compare the platform with the documentation: parley doctor --conformance.`,
        sent: true,
      }),
      { cause: error },
    )
  }
  return error
}
