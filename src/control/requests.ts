import type { requests } from '../contract/requests.ts'
import type { HandlersOf } from '../server/handler.ts'
import { readRequests } from './request-log.ts'

export const requestHandlers = ({ dataDir }: { readonly dataDir: string }): HandlersOf<typeof requests> => ({
  async list({ method, path, status, after, most }) {
    const isWanted = (given: number): boolean => status === undefined || (status.endsWith('xx') ? String(given)[0] === status[0] : String(given) === status)
    const all = readRequests(dataDir).filter(
      (it) => (method === undefined || it.method === method) && (path === undefined || it.path.includes(path)) && isWanted(it.status) && it.id > (after ?? 0),
    )
    return { data: after === undefined ? all.slice(-most) : all.slice(0, most) }
  },
})
