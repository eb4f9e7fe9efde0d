import type { FailureKind } from './failures.ts'

const slotHint = 'Detach the automation or webhook that holds the event, then try again.'

/** Errors about assistants and the resources that belong to them. */
export const assistantFailures = {
  'assistants.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Assistant not found',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'assistants.not_yours': {
    status: 404,
    envelope: 'message',
    text: 'Assistant not found or does not belong to the authenticated user',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'assistants.delete_failed': { status: 500, envelope: 'message', text: 'Assistant deletion failed', exit: 'platform' },
  // Each assistant has one slot per event (section 6.3), shared by automations and custom webhooks.
  'assistants.binding_conflict': {
    status: 422,
    envelope: 'automation',
    text: 'This assistant already has an automation for this event.',
    exit: 'conflict',
    hint: slotHint,
  },

  'folders.not_found': { status: 404, envelope: 'message', text: 'Folder not found', exit: 'not_found' },
  'labels.not_found': { status: 404, envelope: 'message', text: 'Label not found', exit: 'not_found' },

  'knowledge.not_found': { status: 404, envelope: 'error', text: 'Knowledgebase not found.', exit: 'not_found' },
  'knowledge.document_not_found': { status: 404, envelope: 'error', text: 'Document not found.', exit: 'not_found' },
  'knowledge.failed': {
    status: 500,
    envelope: 'error',
    text: 'The knowledgebase could not be changed. Please try again or contact support.',
    exit: 'platform',
  },
} as const satisfies Record<string, FailureKind>
