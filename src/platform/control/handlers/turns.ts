import { turns } from '../../../contract/control/turns.ts'
import { type HandlersOf, type LoadedResource, loadedResource } from '../../server/handlers/handler.ts'
import type { Deps } from '../../services/runtime/deps.ts'

/** Returns the endpoints of the resource with their handlers. */
export const turnResource = (deps: Pick<Deps, 'replyStreams'>): LoadedResource =>
  loadedResource(turns, turnHandlers(deps))

/** Creates the handlers of the control API for replies in progress. */
export const turnHandlers = ({ replyStreams }: Pick<Deps, 'replyStreams'>): HandlersOf<typeof turns> => ({
  async follow({ key, after, wait }) {
    const { events, done } = await replyStreams.readEvents(key, after, wait * 1000)
    return {
      events: events.map((event) =>
        event.type === 'text' ? event : { ...event, arguments: { ...event.arguments }, result: { ...event.result } },
      ),
      done,
    }
  },
})
