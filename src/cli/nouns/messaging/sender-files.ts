import { references } from '../../../contract/references/resource-references.ts'
import { messaging } from '../../../contract/resources/messaging.ts'
import * as z from '../../../contract/schema/schema.ts'
import { usageError } from '../../program/errors/usage-error.ts'
import { recordFiles } from '../../program/resources/record-files.ts'
import type { ResourceFiles } from '../../program/resources/resource-files.ts'

const kind = recordFiles(
  {
    noun: 'senders',
    singular: 'sender',
    resourceKind: 'senders',
    nameField: 'phone_number',
    references: references.senders,
    documentSchema: z.object({ phone_number: z.string(), ...messaging.updateAssignment.body.shape }),
    updateSchema: messaging.updateAssignment.body,
  },
  { list: messaging.listAssignments, update: messaging.updateAssignment },
)
const { remove: _, ...withoutRemoval } = kind

/**
 * Messaging senders and the assistants that answer for them. A push never connects or removes a sender. Files of users have
 * `noun` as the name of their folder, and the names of fields: they are added, not renamed.
 */
export const senders: ResourceFiles = {
  ...withoutRemoval,
  capability: 'sender-assistants',
  removalNote: 'A push never removes senders.',
  // Null is written, so that a promotion and a push to another account unassign, too.
  toContent: (raw) => ({ ...kind.toContent(raw), assistant_id: raw.assistant_id ?? null }),
  async normalize(document, file) {
    const content = await kind.normalize(document, file)
    return document.assistant_id === null ? { ...content, assistant_id: null } : content
  },
  check({ phone_number: number }, live, path) {
    if (!live)
      throw usageError(
        `${path}: The account does not have the sender ${number}, and a push never connects senders. Nothing was changed.`,
        'Connect it in the app of the platform. Or delete the file.',
      )
  },
}
