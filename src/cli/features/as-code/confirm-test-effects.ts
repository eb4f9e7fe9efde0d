import { replaceNamesWithNumbers } from '../../../contract/references/step-references.ts'
import { listSideEffects } from '../../../engine/analysis/external-actions.ts'
import { validateDefinition } from '../../../engine/definition/validate-definition.ts'
import { askConfirmation } from '../../program/consent/require-confirmation.ts'
import type { Context } from '../../program/context.ts'
import { consentError } from '../../program/errors/usage-error.ts'
import type { WriteOptions } from '../../program/resources/file-kind.ts'
import type { SyncEntry } from './merge-entry.ts'

/**
 * Confirms tests of automations that really send or call, before anything is sent. Otherwise the platform refuses the
 * first of them after other resources were written. Returns the options of the writes. @throws ClientFailure exit 10
 * without confirmation
 */
export async function confirmTestEffects(
  context: Context,
  written: readonly SyncEntry[],
  options: WriteOptions,
): Promise<WriteOptions> {
  if (options.confirmed) return options
  const effects: string[] = []
  for (const { file, local, remote, fields } of written) {
    const flow = local?.content.flow
    if (flow === undefined || (remote && !fields.includes('flow'))) continue
    const steps = await stepsWithEffects(flow)
    if (steps.length > 0) effects.push(`  ${file}: ${steps.join(', ')}`)
  }
  if (effects.length === 0) return options
  const message = ['The tests of these automations run steps that really send or call:', ...effects].join('\n')
  if (!context.interactive)
    throw consentError(`${message}\nNothing was changed.`, 'Review the steps, then pass --confirm-side-effects.')
  await context.notes.warn(message)
  if (!(await askConfirmation(context, 'Run these steps with real effects in the tests?', { reachesOutside: true })))
    throw consentError('Cancelled.', 'Nothing was changed.')
  context.promptAnswers.push({ flag: '--confirm-side-effects' })
  return { ...options, confirmed: true }
}

/** Returns the names of steps with effects. A definition that cannot be read has none: the platform refuses it. */
async function stepsWithEffects(flow: unknown): Promise<string[]> {
  const examined = await validateDefinition(replaceNamesWithNumbers(flow).flow, undefined, { allowUnknownPieces: true })
  return examined.ok ? listSideEffects(examined.definition).map((it) => it.displayName) : []
}
