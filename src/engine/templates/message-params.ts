import * as check from './param-checks.ts'
import type { Param } from './template.ts'

/** Parameters of templates that send a message template: its sender and its id or name. */
export const messageParams: readonly Param[] = [
  {
    key: 'sender_id',
    label: 'Sender',
    description: 'Id of the messaging sender',
    required: true,
    example: '1',
    check: check.id,
  },
  {
    key: 'messaging_template',
    label: 'Template',
    description: 'Id or name of the approved template',
    required: true,
    example: 'opening_hours',
  },
]
