import { numbers } from '../../../contract/resources/numbers.ts'
import type { Target } from '../../input/resolve-target.ts'
import { senderFlag } from '../messaging/view.ts'

export const numberTarget: Target = {
  singular: 'number',
  list: numbers.list,
  by: ['phone_number', 'nickname'],
  label: (it) => `${it.phone_number} (${it.id})`,
}

/** Fields with a shorter flag that also accepts a name. */
export const named = {
  assistant_id: {
    flags: '--assistant <id>',
    describe: 'Id, UUID or name of the assistant, required for call campaigns',
  },
  messaging_sender_id: {
    ...senderFlag,
    describe: 'Id, number or name of the sender, required for messaging campaigns',
  },
  messaging_template_id: {
    flags: '--template <id>',
    describe: 'Id or name of the template, required for messaging campaigns',
  },
  sms_from_phone_number_id: {
    flags: '--from <id>',
    describe: 'Id, number or nickname of the number to send from, required for SMS campaigns',
  },
} as const
export type NamedField = keyof typeof named
