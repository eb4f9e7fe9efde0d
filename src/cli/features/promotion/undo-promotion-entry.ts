import type { Invocation } from '../../program/commandline/command.ts'
import { describePlatform } from '../../program/configuration/active-profile.ts'
import type { Context } from '../../program/context.ts'
import type { HistoryEntry } from '../../program/history/entries.ts'
import { parseSelection } from '../as-code/project-layout.ts'
import { parseWriteOptions } from '../automations/write-flags.ts'
import { undoPromotion } from './undo-promotion.ts'

/** Undoes the promotion of a history entry in the profile in use, like `promote undo`. */
export async function undoPromotionEntry(
  context: Context,
  { entry, promotion }: HistoryEntry,
  flags: Invocation['flags'],
): Promise<'finding' | 'partial' | 'conflict' | 'done'> {
  const { layout } = await parseSelection(context, [], undefined, true)
  const settings = await context.settings()
  const to = {
    name: settings.profileName.value,
    context,
    described: describePlatform(settings),
    baseUrl: settings.baseUrl.value,
  }
  return undoPromotion(context, to, {
    layout,
    options: parseWriteOptions(flags),
    confirm: flags.confirm,
    forced: flags.force === true,
    ...(promotion && { chosen: { ...promotion, entry } }),
  })
}
