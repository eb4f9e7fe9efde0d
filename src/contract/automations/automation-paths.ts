import * as z from 'zod'
import { detailsHeader, ifVersionHeader } from './automation-headers.ts'

/** Where the endpoints of automations begin. */
export const flowsPath = '/api/user/automate/flows'

export const automationId = z.string().regex(/^[\w-]{1,64}$/)
export const automationParams = z.object({ id: automationId.describe('Id of the automation') })

/** Request header of an endpoint whose answer can have fields that the specification does not list. */
export const detailsHeaders = { [detailsHeader]: 'full: include fields that the specification does not list' } as const
/** Request header of an endpoint that changes what is live. */
export const versionGuardHeaders = {
  [ifVersionHeader]: 'Id of the live version that was read; 409 version_changed if another version is live',
} as const

/** Why a version that was published cannot be published again; nothing changed. */
export const restoreErrors = [
  'automate.version_changed',
  'automate.assistant_not_found',
  'automate.needs_connection',
  'automate.needs_reconnection',
  'automate.binding_conflict',
] as const
