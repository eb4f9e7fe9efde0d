import { type LoggedRequest, requests } from '../../../contract/control/requests.ts'
import { maskPhoneNumbers } from '../../../contract/values/mask-phone-numbers.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { readRequests } from '../data-folder/request-log.ts'

const withMaskedNumbers = (request: LoggedRequest): LoggedRequest => ({
  ...request,
  path: maskPhoneNumbers(request.path),
  body: request.body === null ? null : maskPhoneNumbers(request.body),
  answer: maskPhoneNumbers(request.answer),
})

/** Returns the endpoints of the resource with their handlers. */
export const requestResource = (deps: { readonly dataDir: string }): LoadedResource =>
  loadedResource(requests, requestHandlers(deps))

/** Creates the handlers of the control API for the request log. */
export const requestHandlers = ({ dataDir }: { readonly dataDir: string }): HandlersOf<typeof requests> => ({
  async list({ method, path, status, unmask, after, limit }) {
    const isWanted = (given: number): boolean =>
      status === undefined || (status.endsWith('xx') ? String(given)[0] === status[0] : String(given) === status)
    const all = readRequests(dataDir).filter(
      (request) =>
        (method === undefined || request.method === method) &&
        (path === undefined || request.path.includes(path)) &&
        isWanted(request.status) &&
        request.id > (after ?? 0),
    )
    const selected = after === undefined ? all.slice(-limit) : all.slice(0, limit)
    return { data: unmask ? selected : selected.map(withMaskedNumbers) }
  },
})
