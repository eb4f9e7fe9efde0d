import { references } from '../../../contract/references/resource-references.ts'
import { campaigns as endpoints } from '../../../contract/resources/campaigns.ts'
import * as z from '../../../contract/schema/schema.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

/**
 * Campaigns without their leads. A push creates drafts, and never starts or stops a campaign. Files of users have `noun` as
 * the name of their folder, and the names of fields: they are added, not renamed.
 */
export const campaigns: ResourceFiles = {
  ...recordFiles(
    {
      noun: 'campaigns',
      singular: 'campaign',
      resourceKind: 'campaigns',
      references: references.campaigns,
      documentSchema: endpoints.create.body,
      updateSchema: z.object({}),
    },
    endpoints,
  ),
  check(_, live, path) {
    if (live)
      throw usageError(
        `${path}: A campaign cannot be changed after its creation. Nothing was changed.`,
        'Use the version of the platform: parley pull --force-remote. Or rename the campaign in the file to create a new one.',
      )
  },
}
