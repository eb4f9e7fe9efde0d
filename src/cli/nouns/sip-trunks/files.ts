import { sipTrunks as endpoints } from '../../../contract/resources/sip-trunks.ts'
import * as z from '../../../contract/schema/schema.ts'
import { trunkTypeOf } from '../../../contract/values/phone-number.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'
import { mask } from '../../program/secrets/masked-values.ts'

const { sip_trunk_type: _, ...fields } = endpoints.create.body.shape

const kind = recordFiles(
  {
    noun: 'sip-trunks',
    singular: 'SIP trunk',
    // Other resources reference a trunk by its number, which has the same id.
    resourceKind: 'numbers',
    nameField: 'phone_number',
    documentSchema: z.object(fields),
    updateSchema: endpoints.update.body,
  },
  endpoints,
)
const { remove: __, ...withoutRemoval } = kind

/**
 * SIP trunks. The password is a reference to the environment. A push never deletes a trunk. Files of users have `noun` as the
 * name of their folder, and the names of fields: they are added, not renamed.
 */
export const sipTrunks: ResourceFiles = {
  ...withoutRemoval,
  removalNote: 'A push never releases numbers.',
  hiddenSecrets: ['sip_password'],
  toContent: (raw) => kind.toContent({ ...raw, sip_password: mask }),
  create: (context, content, file, options) =>
    kind.create(context, { ...content, sip_trunk_type: trunkTypeOf(content.phone_number) }, file, options),
  // The list may omit fields, so that the trunk is read for the history.
  update: (context, id, change, { history: _, ...options }) => kind.update(context, id, change, options),
}
