import type { EndpointDefinition } from '../endpoint/endpoint.ts'
import { parleyServerOnly } from '../endpoint/endpoint-origins.ts'
import * as z from '../schema/schema.ts'
import { automationParams, detailsHeaders, flowsPath, restoreErrors, versionGuardHeaders } from './automation-paths.ts'
import { AutomationVersion, PublishedVersion, Restored } from './automation-records.ts'

/** Maximum number of versions that the platform returns. `--limit` of `automate versions` has the same limit. */
export const maxVersions = 50
/** Number of versions that a list has without `limit`. */
export const defaultVersions = 20

const versionsOnly = parleyServerOnly(
  'versions',
  'Any published version of an automation can be read and restored by its number',
)
const number = z.int().min(1).describe('Number of the version, 1 for the first published version')

/** Endpoints that list, show and restore the published versions of an automation. Only Parley servers have them. */
export const versionEndpoints = {
  versions: {
    ...versionsOnly,
    method: 'GET',
    path: `${flowsPath}/{id}/versions`,
    summary: 'List published versions of an automation',
    params: automationParams,
    query: z.object({
      limit: z
        .int()
        .min(1)
        .max(maxVersions)
        .default(defaultVersions)
        .describe(`Maximum number of versions, 1-${maxVersions}`),
    }),
    status: 200,
    output: z.object({ versions: z.array(AutomationVersion) }),
    errors: ['automate.not_found'],
    risk: 'read',
    items: 'versions',
  },
  version: {
    ...versionsOnly,
    method: 'GET',
    path: `${flowsPath}/{id}/versions/{number}`,
    summary: 'Show one published version of an automation',
    params: z.object({ ...automationParams.shape, number }),
    query: z.object({
      include_secrets: z.boolean().default(false).describe('Show keys and tokens instead of masking them'),
    }),
    status: 200,
    output: z.object({ data: PublishedVersion }),
    errors: ['automate.not_found', 'automate.version_not_found'],
    risk: 'read',
    record: 'data',
  },
  restoreVersion: {
    ...versionsOnly,
    method: 'POST',
    path: `${flowsPath}/{id}/versions/{number}/restore`,
    summary: 'Restore an earlier version as a new live version',
    params: z.object({ ...automationParams.shape, number }),
    headers: { ...detailsHeaders, ...versionGuardHeaders },
    status: 200,
    output: Restored,
    errors: [
      ...restoreErrors,
      'automate.already_live',
      'automate.rollback_failed',
      'automate.restored_as_draft',
      'automate.missing',
      'automate.version_missing',
    ],
    risk: 'severe',
  },
} as const satisfies Record<string, EndpointDefinition>
