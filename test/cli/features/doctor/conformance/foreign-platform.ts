import type { Operator, RunOptions } from '../../../../support/operator.ts'
import { type Planted, withPlanted } from './drifting-platform.ts'

type Through = NonNullable<RunOptions['through']>

/**
 * Another platform than a Parley server: without its headers and control endpoints. The clock of `by` passes the
 * inactivity timeout of each conversation that is created.
 */
export const foreign = (planted: readonly Planted[] = [], by?: Operator): { readonly through: Through } => {
  const { through } = withPlanted(planted)
  return {
    async through(handle, request) {
      if (request.url.startsWith('/control/'))
        return {
          status: 404,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ message: 'Not Found' }),
        }
      const response = await through(handle, request)
      if (request.method === 'POST' && /\/conversations$/.test(request.url)) by?.wait(61_000)
      return {
        ...response,
        headers: Object.fromEntries(
          Object.entries(response.headers).filter(([name]) => !/^(parley-|x-request-id)/.test(name)),
        ),
      }
    },
  }
}
