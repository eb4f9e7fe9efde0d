import * as z from '../schema/schema.ts'
import { detailsHeader, ifVersionHeader } from './automation-headers.ts'

/** Path prefix of the automation endpoints. Clients of others call it: it never changes. */
export const flowsPath = '/api/user/automate/flows'

export const automationId = z.string().regex(/^[\w-]{1,64}$/)
export const automationParams = z.object({ id: automationId.describe('Id of the automation') })

/** Request header of endpoints whose response can have fields that the specification does not list. */
export const detailsHeaders = { [detailsHeader]: 'full: include fields that the specification does not list' } as const
/** Request header of endpoints that change the live version. */
export const versionGuardHeaders = {
  [ifVersionHeader]: 'Id of the live version that was read; 409 version_changed if another version is live',
} as const

/** Errors that prevent publishing a version again. Nothing is changed when one of them occurs. */
export const restoreErrors = [
  'automate.version_changed',
  'automate.assistant_not_found',
  'automate.needs_connection',
  'automate.needs_reconnection',
  'automate.binding_conflict',
] as const
