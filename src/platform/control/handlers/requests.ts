import { type LoggedRequest, requests } from '../../../contract/control/requests.ts'
import { maskPhoneNumbers } from '../../../contract/values/mask-phone-numbers.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import { readRequests } from '../data-folder/request-log.ts'

const withMaskedNumbers = (it: LoggedRequest): LoggedRequest => ({
  ...it,
  path: maskPhoneNumbers(it.path),
  body: it.body === null ? null : maskPhoneNumbers(it.body),
  answer: maskPhoneNumbers(it.answer),
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
      (it) =>
        (method === undefined || it.method === method) &&
        (path === undefined || it.path.includes(path)) &&
        isWanted(it.status) &&
        it.id > (after ?? 0),
    )
    const selected = after === undefined ? all.slice(-limit) : all.slice(0, limit)
    return { data: unmask ? selected : selected.map(withMaskedNumbers) }
  },
})
