import type { ExitName } from '../../contract/exits.ts'
import { flowOf } from '../as-code/automation-content.ts'
import type { Invocation } from '../command.ts'
import { readFlowFile } from '../commands/automate/flow-document.ts'
import { readValue } from '../commands/automate/mocks.ts'
import type { Context } from '../context.ts'
import { withIds } from '../flow-files/named-ids.ts'
import { needsConsent } from '../usage.ts'
import { readLive } from './live.ts'
import { circumstances, differenceOf, previewOf, refuseImpossible } from './preview.ts'
import { printOutcome } from './print-outcome.ts'
import { updateSafely } from './safe-update.ts'
import { copyAt, ofCopy, type Target } from './targets.ts'

/**
 * Makes an earlier version live on a deployment that does not number versions: sends its content, from a file or the history of this computer, as an update.
 * @throws ClientFailure before anything is sent: exit 4 for a version nobody has, exit 10 without `--confirm-side-effects`, exit 2 for secrets that are masked
 */
export async function republish(context: Context, id: string, to: number, flags: Invocation['flags']): Promise<ExitName | undefined> {
  const { target, flow, at } = await contentFor(context, id, to, flags.file)
  const live = await readLive(context, id)
  const preview = await previewOf(context, live, target)
  const lines = [
    `${called(target)} is sent as an update: this deployment restores only the previous version.`,
    ...differenceOf(preview),
    ...circumstances(preview),
  ]
  if (preview.conflict) refuseImpossible(preview, target.called)
  if (flags.confirmSideEffects !== true && !context.globals.dryRun)
    throw needsConsent(
      [`Restoring ${target.called} sends it as an update, and the platform tests it: its steps run for real.`, ...lines].join('\n'),
      'Read the steps, then add --confirm-side-effects. Nothing was sent.',
    )
  await context.notes.note(lines.join('\n'))
  const sample = typeof flags.sample === 'string' ? await readValue(context.world, flags.sample, '--sample') : undefined
  const outcome = await updateSafely(context, {
    id,
    change: { flow, confirm_side_effects: true, ...(sample !== undefined && { sample: sample as Record<string, unknown> }) },
    skipLocalTest: flags.skipLocalTest === true,
    rollback: flags.rollbackOnFailure !== false,
    ...(at !== undefined && { sampleBefore: at }),
    during: 'Building and testing',
  })
  if (outcome.kind === 'shown') return undefined
  return printOutcome(context, id, outcome)
}

const called = ({ called: it }: Target): string => `${it.charAt(0).toUpperCase()}${it.slice(1)}`

interface Content {
  readonly target: Target
  readonly flow: unknown
  /** When it was live, for the sample of its time. */
  readonly at?: string
}

async function contentFor(context: Context, id: string, to: number, file: unknown): Promise<Content> {
  if (typeof file === 'string') {
    const { flow } = await withIds(context, await readFlowFile(context, file, undefined), file)
    const { examine } = await import('../../automation/definition/examine.ts')
    const examined = await examine(flow)
    const definition = examined.ok ? examined.definition : undefined
    return { target: { number: undefined, called: `version ${to} from ${file}`, definition, content: undefined, binding: undefined, source: 'file' }, flow }
  }
  const copy = await copyAt(context, id, to)
  const target = ofCopy(copy)
  return { target, flow: flowOf(target.definition as never), at: copy.at }
}
