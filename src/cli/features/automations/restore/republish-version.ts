import { toFlow } from '../../../../contract/automations/flow-form.ts'
import type { ExitName } from '../../../../contract/errors/exit-codes.ts'
import { validateDefinition } from '../../../../engine/definition/validate-definition.ts'
import type { Invocation } from '../../../program/commandline/command.ts'
import type { Context } from '../../../program/context.ts'
import { consentError } from '../../../program/errors/usage-error.ts'
import { readValue } from '../../../program/input/read-document.ts'
import { readFlowFile } from '../flow-files/flow-document.ts'
import { resolveFlowNames } from '../flow-files/resolve-flow-names.ts'
import { readLiveAutomation } from '../live-automation.ts'
import { printUpdateOutcome } from '../print-update-outcome.ts'
import { updateSafely } from '../safe-update.ts'
import { describeCircumstances, describeDifference, previewRestore, requirePossible } from './restore-preview.ts'
import { fromHistoryEntry, historyEntryAt, type RestoreTarget } from './restore-targets.ts'

/**
 * Publishes an earlier version on a deployment without numbered versions. Its content, from a file or the local
 * history, is sent as an update.
 *
 * @throws ClientFailure before anything is sent: exit 4 for an unknown version, exit 10 without
 * `--confirm-side-effects`, exit 2 for masked secrets
 */
export async function republishVersion(
  context: Context,
  id: string,
  to: number,
  flags: Invocation['flags'],
): Promise<ExitName | undefined> {
  const { target, flow, at } = await findContent(context, id, to, flags.file)
  const live = await readLiveAutomation(context, id)
  const preview = await previewRestore(context, live, target)
  const lines = [
    `${capitalizedLabel(target)} is sent as an update, because this deployment restores only the previous version.`,
    ...describeDifference(preview),
    ...describeCircumstances(preview),
  ]
  if (preview.conflict) requirePossible(preview, target.label)
  if (
    flags.confirmSideEffects !== true &&
    !context.globals.dryRun &&
    !(await context.approvals.replacesConfirmation(lines[0] as string))
  )
    throw consentError(
      [
        `Restoring ${target.label} sends it as an update. The platform tests it, and its steps run for real.`,
        ...lines,
      ].join('\n'),
      'Review the steps, then pass --confirm-side-effects. Nothing was sent.',
    )
  await context.notes.note(lines.join('\n'))
  const sample =
    typeof flags.sample === 'string' ? await readValue(context.system, flags.sample, '--sample') : undefined
  const outcome = await updateSafely(context, {
    id,
    change: {
      flow,
      confirm_side_effects: true,
      ...(sample !== undefined && { sample: sample as Record<string, unknown> }),
    },
    skipLocalTest: flags.skipLocalTest === true,
    rollback: flags.rollbackOnFailure !== false,
    ...(at !== undefined && { sampleBefore: at }),
    progressText: 'Building and testing the automation',
  })
  if (outcome.kind === 'shown') return undefined
  return printUpdateOutcome(context, id, outcome)
}

const capitalizedLabel = ({ label }: RestoreTarget): string => `${label.charAt(0).toUpperCase()}${label.slice(1)}`

interface RepublishContent {
  readonly target: RestoreTarget
  readonly flow: unknown
  /** Time when the version was live, used to find the sample of that time. */
  readonly at?: string
}

async function findContent(context: Context, id: string, to: number, file: unknown): Promise<RepublishContent> {
  if (typeof file === 'string') {
    const { flow } = await resolveFlowNames(context, await readFlowFile(context, file, undefined), file)
    const examined = await validateDefinition(flow)
    const definition = examined.ok ? examined.definition : undefined
    return {
      target: {
        number: undefined,
        label: `version ${to} from ${file}`,
        definition,
        fingerprint: undefined,
        binding: undefined,
        source: 'file',
      },
      flow,
    }
  }
  const copy = await historyEntryAt(context, id, to)
  const target = fromHistoryEntry(copy)
  return { target, flow: toFlow(target.definition as never), at: copy.at }
}
