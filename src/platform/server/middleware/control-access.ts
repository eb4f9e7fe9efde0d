import { Failure } from '../../../contract/errors/failures.ts'
import type { PlainRequest } from '../../../contract/mechanics/http-message.ts'
import { isEqualSecret } from '../../services/runtime/secret-equality.ts'
import type { AppOptions } from '../app.ts'
import { rejectAttempt } from './reject-attempt.ts'

/**
 * Checks a request to the control API: made on the machine of the server, by no web page, with the control token.
 * @throws Failure 401, 403, 429
 */
export async function checkControlAccess(
  request: PlainRequest,
  { deps, controlToken, controlPublic }: Pick<AppOptions, 'deps' | 'controlToken' | 'controlPublic'>,
): Promise<void> {
  if (request.headers.origin !== undefined) throw new Failure('forbidden')
  if (request.remote?.isLocal === false && controlPublic !== true)
    throw new Failure('forbidden', { text: 'The control API accepts requests only from the machine of the server.' })
  if (!isEqualSecret(request.headers['parley-control'] ?? '', controlToken()))
    throw await rejectAttempt(deps, request, new Failure('unauthenticated'))
}
