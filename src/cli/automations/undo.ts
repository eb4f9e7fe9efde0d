import { automate } from '../../contract/automate.ts'
import type { AutomationNode } from '../../contract/automation-node.ts'
import type { Known } from '../before.ts'
import type { Done } from '../commands/history/done.ts'
import { consent } from '../consent.ts'
import type { Context } from '../context.ts'
import { isObject } from '../hidden.ts'
import type { Copy } from '../history/copies.ts'
import { showOnly } from '../requests.ts'
import { contentOf, type Live, readLive, stateOf } from './live.ts'
import { circumstances, differenceOf, previewOf, refuseImpossible } from './preview.ts'
import { remarkOf } from './print-outcome.ts'
import { restoreSafely } from './restore-safely.ts'
import { updateSafely } from './safe-update.ts'
import { ofCopy, type Target, versionAt, versionsOf } from './targets.ts'

export interface UndoWays {
  /** Steps that really send or call may run in a test. */
  readonly confirmed: boolean
}

/** How many versions are looked through for the one that was live before. */
const searched = 10

const masked = async (definition: unknown): Promise<string> => {
  if (!isObject(definition)) return contentOf(null)
  const { maskDefinition } = await import('../../automation/definition/mask.ts')
  return contentOf(maskDefinition(definition as AutomationNode))
}

/**
 * Puts back what an update or a restore of an automation changed: `change` has the fields. A definition is restored as a version, which runs no test and
 * leaves the automation enabled or disabled; where no version can be restored it is sent as a safe update, tested with the sample of its time. Everything is
 * read back. Undefined where it was only shown. @throws ClientFailure; exit 20 by `Done.exit` when it is not as before in the end
 */
export async function undoAutomation(context: Context, copy: Copy, called: string, change: Known, ways: UndoWays): Promise<Done | undefined> {
  const id = String(copy.ids.id)
  const { flow, name, enabled } = change
  const { dryRun, printCurl } = context.globals
  let live = await readLive(context, id)
  const wantedStatus = enabled === undefined ? live.automation.status : enabled ? 'enabled' : 'disabled'
  const notes: string[] = []
  if (flow !== undefined) {
    const target = await targetOf(context, copy, live)
    const preview = await previewOf(context, live, target)
    const lines = [...differenceOf(preview), ...circumstances(preview)]
    if (printCurl) {
      await showWay(context, id, target, flow)
      return undefined
    }
    if (dryRun) {
      await showWay(context, id, target, flow)
      await context.notes.note(lines.join('\n'))
      return undefined
    }
    if (preview.conflict || (await context.has('versions'))) refuseImpossible(preview, target.called)
    await agree(context, copy, called, lines)
    const failed = await publish(context, { copy, live, target, flow, ways })
    if (failed) return { undone: { done: 'nothing' }, sentence: `Not undone: ${called}. ${failed}`, exit: 'finding' }
    live = await readLive(context, id)
  }
  const rest = {
    ...(name !== undefined && name !== live.automation.name && { name: String(name) }),
    ...(wantedStatus !== live.automation.status && { enabled: wantedStatus === 'enabled' }),
  }
  if (flow === undefined && (dryRun || printCurl)) {
    await showOnly(context, automate.update, { ...rest, id })
    return undefined
  }
  if (Object.keys(rest).length > 0) {
    await context.call(automate.update, { ...rest, id }, flow === undefined ? {} : { unrecorded: true })
    live = await readLive(context, id)
  }
  const wrong = await differing(copy, live, { flow, name, wantedStatus })
  const isRestore = copy.action === 'restore'
  const result = isRestore ? 'Restored' : 'Put back'
  if (wrong.length > 0)
    return {
      undone: { done: 'nothing' },
      sentence: `Not as before: ${wrong.join(', ')} of the ${called}. ${stateOf(live)}`,
      notes,
      exit: 'finding',
    }
  return {
    undone: { done: isRestore ? 'restored' : 'put back', fields: Object.keys(change) },
    sentence: `${result}: ${called}.`,
    notes: [stateOf(live), ...notes],
  }
}

interface Publish {
  readonly copy: Copy
  readonly live: Live
  readonly target: Target
  readonly flow: unknown
  readonly ways: UndoWays
}

/** Makes the definition of the copy live. Why it is not, in a sentence; undefined when it is. */
async function publish(context: Context, { copy, live, target, flow, ways }: Publish): Promise<string | undefined> {
  const id = String(copy.ids.id)
  const wanted = await masked(copy.before?.definition)
  if (target.number !== undefined || target.isPrevious) {
    const done = await restoreSafely(context, live, target)
    if ((await masked(done.live.automation.definition)) === wanted) return undefined
    // The version before was another one: it is put away again before the content is sent.
    await restoreSafely(context, done.live, { ...target, number: undefined, content: live.content })
    await context.notes.note('The previous version on the platform has other content: the content of the copy is sent as an update.')
  }
  const outcome = await updateSafely(context, {
    id,
    change: { flow, ...(ways.confirmed && { confirm_side_effects: true }) },
    sampleBefore: copy.at,
    during: 'Building and testing',
  })
  return outcome.kind === 'shown' ? undefined : (remarkOf(outcome) ?? undefined)
}

/** The version that was live before the change, where the platform has it; else what the copy holds. */
async function targetOf(context: Context, copy: Copy, live: Live): Promise<Target> {
  const id = live.automation.id
  const wanted = await masked(copy.before?.definition)
  if (await context.has('versions')) {
    const versions = (await versionsOf(context, id)).filter((it) => !it.live).slice(0, searched)
    for (const { number } of versions) {
      const target = await versionAt(context, id, number)
      if ((await masked(target.definition)) === wanted) return target
    }
    return ofCopy(copy)
  }
  // What is live is what the change made of it: the version before is the one of the copy.
  const isNewest = copy.after !== null && (await masked(copy.after.definition)) === (await masked(live.automation.definition))
  return { ...ofCopy(copy), ...(isNewest && { isPrevious: true }) }
}

/** On a terminal it is asked; a restore is consented to elsewhere as well. */
async function agree(context: Context, { action }: Copy, called: string, lines: readonly string[]): Promise<void> {
  if (!context.interactive && action !== 'restore') return context.notes.note(lines.join('\n'))
  if (context.interactive && !context.globals.yes) await context.notes.note(lines.join('\n'))
  await consent(context, {
    ask: `Put back the version of the ${called} that was live before?`,
    without: [`Restoring the ${called} replaces what is live and requires confirmation.`, ...lines].join('\n'),
  })
}

async function showWay(context: Context, id: string, target: Target, flow: unknown): Promise<void> {
  if (target.isPrevious) await showOnly(context, automate.restore, { id })
  else if (target.number !== undefined) await showOnly(context, automate.restoreVersion, { id, number: target.number })
  else await showOnly(context, automate.update, { id, flow })
}

/** What is not as it was before. */
async function differing(
  copy: Copy,
  { automation }: Live,
  { flow, name, wantedStatus }: { readonly flow: unknown; readonly name: unknown; readonly wantedStatus: string },
): Promise<string[]> {
  return [
    ...(flow !== undefined && (await masked(automation.definition)) !== (await masked(copy.before?.definition)) ? ['the definition'] : []),
    ...(name !== undefined && automation.name !== name ? ['the name'] : []),
    ...(automation.status !== wantedStatus ? [`the state (${automation.status}, not ${wantedStatus})`] : []),
  ]
}
