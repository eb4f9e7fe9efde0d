import type { inspector } from '../../contract/control/inspector.ts'
import { Failure } from '../../contract/errors/failures.ts'
import type { HandlersOf } from '../../server/handlers/handler.ts'
import type { ServerState } from './server-state.ts'

/** Creates the handlers of the control API for the inspector. */
export const inspectorHandlers = ({
  state,
}: {
  readonly state: Pick<ServerState, 'createInspectorLogin'>
}): HandlersOf<typeof inspector> => ({
  async login() {
    const code = await state.createInspectorLogin?.()
    if (code === undefined) throw new Failure('inspector.unavailable')
    return { code, path: `/_parley/login?code=${code}`, expires_in: 300 }
  },
})
