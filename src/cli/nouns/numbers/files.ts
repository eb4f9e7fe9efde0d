import { numbers as endpoints } from '../../../contract/resources/numbers.ts'
import * as z from '../../../contract/schema/schema.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const kind = recordFiles(
  {
    noun: 'numbers',
    singular: 'number',
    resourceKind: 'numbers',
    nameField: 'phone_number',
    documentSchema: z.object({ phone_number: z.string(), ...endpoints.update.body.shape }),
    updateSchema: endpoints.update.body,
  },
  endpoints,
)
const { remove: _, ...withoutRemoval } = kind

/**
 * Phone numbers. A push never buys or releases one. The numbers of SIP trunks are in the files of the trunks. Files of users
 * have `noun` as the name of their folder, and the names of fields: they are added, not renamed.
 */
export const numbers: ResourceFiles = {
  ...withoutRemoval,
  removalNote: 'A push never releases numbers.',
  list: async (context) => (await kind.list(context)).filter((it) => it.type !== 'sip'),
  async fileElsewhere(context, name) {
    const trunks = (await kind.list(context)).filter((it) => it.type === 'sip')
    const trunk = trunks.find((it) => String(it.phone_number).replace('+', '') === name.replace('+', ''))
    return trunk && `sip-trunks/${String(trunk.phone_number).replace('+', '')}`
  },
  check({ phone_number: number }, live, path) {
    if (!live)
      throw usageError(
        `${path}: The account does not have the number ${number}, and a push never buys numbers. Nothing was changed.`,
        `Buy it: parley numbers buy ${number}. Or delete the file.`,
      )
  },
}
