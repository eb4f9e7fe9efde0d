import type { FailureKind } from './exit-codes.ts'

const listHint = 'List them: parley automate list.'
const connectionHint =
  'Create the connection in the application. On a local platform: parley server connections create.'
const paramsHint = 'Pass parameters with --param key=value. List them: parley automate templates <template>.'
const refused = { status: 422, envelope: 'automation', exit: 'rejected' } as const
const failed = { status: 422, envelope: 'automation', exit: 'platform' } as const

/**
 * Errors about automations (section 7.5). Clients rely on statuses, codes and the texts of the specification: they never change.
 * failures.ts says who reads each part.
 */
export const automateFailures = {
  'automate.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Automation not found',
    exit: 'not_found',
    hint: listHint,
  },
  // Restore and retry return an error code; get does not.
  'automate.missing': {
    status: 404,
    envelope: 'automation',
    text: 'Automation not found',
    exit: 'not_found',
    code: 'not_found',
    hint: listHint,
  },
  'automate.version_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Version not found for this automation',
    exit: 'not_found',
  },
  'automate.version_missing': {
    status: 404,
    envelope: 'automation',
    text: 'Version not found for this automation',
    exit: 'not_found',
    code: 'not_found',
  },
  'automate.version_changed': {
    status: 409,
    envelope: 'automation',
    text: 'Another version is live: {version}.',
    exit: 'conflict',
    hint: 'Compare with the live version, then try again: parley automate versions <id>.',
  },
  'automate.already_live': {
    status: 409,
    envelope: 'automation',
    text: 'Version {number} has the same content as the live version. Nothing changed.',
    exit: 'conflict',
  },
  'automate.run_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Run not found for this automation',
    exit: 'not_found',
  },
  'automate.run_record_not_found': {
    status: 404,
    envelope: 'message',
    text: 'Run not found',
    exit: 'not_found',
    hint: 'List runs: parley automate runs list.',
  },
  'automate.run_missing': {
    status: 404,
    envelope: 'automation',
    text: 'Run not found for this automation',
    exit: 'not_found',
    code: 'not_found',
  },
  'automate.template_not_found': {
    status: 404,
    envelope: 'automation',
    text: 'Template not found',
    exit: 'not_found',
    hint: 'List them: parley automate templates.',
    extra: { params: null },
  },

  'automate.side_effects_require_confirmation': {
    status: 422,
    envelope: 'automation',
    text: 'This automation has steps that really send or call: {steps}. Confirm the side effects to continue.',
    exit: 'consent',
    hint: 'Review the steps, then pass --confirm-side-effects.',
  },
  'automate.no_steps': { ...refused, text: 'The automation has a trigger but no steps.' },
  'automate.invalid_definition': {
    ...refused,
    text: 'The definition is not valid.',
    hint: 'Check the definition: parley automate lint.',
  },
  'automate.unsupported_trigger': {
    ...refused,
    text: 'This trigger type is not supported.',
    hint: 'Check the definition: parley automate lint.',
  },
  'automate.assistant_required': {
    ...refused,
    text: 'An assistant is required for this trigger.',
    hint: 'Pass --assistant-id.',
  },
  'automate.assistant_not_found': {
    ...refused,
    text: 'Assistant not found',
    exit: 'not_found',
    hint: 'List them: parley assistants list.',
  },
  'automate.binding_conflict': {
    ...refused,
    text: 'This assistant already has an automation or custom webhook for this event.',
    exit: 'conflict',
    hint: 'Detach the automation or webhook that holds the event, then try again.',
  },
  'automate.needs_connection': {
    ...refused,
    text: 'An account connection is missing: {connection}.',
    hint: connectionHint,
  },
  'automate.needs_reconnection': {
    ...refused,
    text: 'An account connection has expired: {connection}.',
    hint: connectionHint,
  },
  'automate.import_failed': {
    ...refused,
    text: 'The definition was rejected.',
    hint: 'Check the definition: parley automate lint.',
  },
  'automate.create_failed': { ...failed, text: 'The automation could not be created.' },
  'automate.publish_failed': { ...failed, text: 'The automation could not be published.' },

  'automate.no_previous_version': { ...refused, text: 'There is no previous version to restore.', exit: 'conflict' },
  'automate.rollback_failed': { ...failed, text: 'The rollback failed. Nothing changed.' },
  'automate.restored_as_draft': {
    ...failed,
    text: 'The previous version was restored as a draft and is not live.',
    code: 'publish_failed',
    hint: 'See the draft: parley automate get <id> --draft.',
  },

  'sheets.not_found': {
    status: 404,
    envelope: 'message',
    text: 'Spreadsheet or row not found',
    exit: 'not_found',
    hint: 'List them: parley server sheets list.',
  },
  'sheets.exists': {
    status: 409,
    envelope: 'message',
    text: 'A spreadsheet with this name already exists.',
    exit: 'conflict',
    hint: 'List its rows: parley server sheets rows <name>.',
  },

  'connections.not_found': { status: 404, envelope: 'message', text: 'Connection not found', exit: 'not_found' },
  'connections.other_kind': {
    status: 409,
    envelope: 'message',
    text: 'A connection of another kind already has this name.',
    exit: 'conflict',
    hint: 'Choose another name.',
  },

  'automate.retry_no_op': {
    ...refused,
    text: 'This run cannot be resumed: it did not fail.',
    exit: 'conflict',
    hint: 'Only failed runs can be retried. See the run: parley automate runs get <run>.',
  },
  'automate.step_not_reached': {
    ...refused,
    text: 'The run has no step "{step}" outside loops. Only a step that the run reached can be the first one.',
    exit: 'conflict',
    hint: 'See the steps of the run: parley automate runs get <run>.',
  },
  'automate.version_incompatible': {
    ...refused,
    text: 'The latest version cannot continue this run: it has no step "{step}", which already ran.',
    exit: 'conflict',
    hint: 'Continue on the version that the run started on: omit --latest.',
  },
  'automate.retry_failed': { ...failed, text: 'The run could not be retried.' },

  'automate.missing_params': { ...refused, text: 'Required parameters are missing: {params}.', hint: paramsHint },
  'automate.invalid_param_choice': {
    ...refused,
    text: 'A parameter has a value that is not one of its choices.',
    hint: paramsHint,
  },
} as const satisfies Record<string, FailureKind>
