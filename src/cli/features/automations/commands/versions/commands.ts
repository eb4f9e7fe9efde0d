import type { AutomationVersion, PublishedVersion } from '../../../../../contract/automations/automation-records.ts'
import { defaultVersions, maxVersions } from '../../../../../contract/automations/version-endpoints.ts'
import { automate } from '../../../../../contract/resources/automate.ts'
import { command } from '../../../../program/commandline/command.ts'
import { previewRequest } from '../../../../program/connection/send-request.ts'
import type { Context } from '../../../../program/context.ts'
import { usageError } from '../../../../program/errors/usage-error.ts'
import { parseCount } from '../../../../program/input/count-flag.ts'
import { idView, type View } from '../../../../program/output/format.ts'
import { itemShape } from '../../../../program/output/tables/item-shape.ts'
import { renderFlowTree } from '../../flow-files/flow-tree.ts'
import { fingerprintDefinition } from '../../live-automation.ts'
import { historyEntriesOf, historyEntryAt, versionNotFound } from '../../restore/restore-targets.ts'
import { argument, automationId } from '../view.ts'

const view: View<PublishedVersion> = idView((it) => it.id)

export const get = command({
  endpoint: automate.version,
  summary: 'Show one published version of an automation',
  argument,
  filledFields: ['include_secrets'],
  flags: [
    { flags: '--number <n>', describe: 'Number of the version (parley automate versions list)' },
    { flags: '--unmask', describe: 'Show keys and tokens instead of masking them', field: 'include_secrets' },
  ],
  examples: ['Greeting --number 2', 'Greeting --number 2 -o yaml'],
  notes:
    'The table output shows the steps, indented by branch and loop. Use -o json or -o yaml for the whole definition.',
  view,
  async run(context, { argument, flags }) {
    const id = await automationId(context, argument)
    const number = parseCount(flags.number as string | undefined, '--number')
    if (number === undefined)
      throw usageError('Missing --number.', `Pass the number of a version: parley automate versions list ${id}`)
    const input = { id, number, ...(flags.unmask && { include_secrets: true }) }
    if (await previewRequest(context, automate.version, input)) return
    const version = (await context.supports('versions'))
      ? await published(context, input)
      : await remembered(context, id, number)
    const { out } = context
    if (!out.isForPeople) return out.record(version, itemShape(context.command))
    const { definition, ...about } = version
    await out.record(about)
    const lines = renderFlowTree(definition)
    if (lines.length > 0) await context.system.streams.stdout.write(`\n${lines.join('\n')}\n`)
  },
})

async function published(
  context: Context,
  input: { readonly id: string; readonly number: number; readonly include_secrets?: boolean },
): Promise<PublishedVersion> {
  return (await context.call(automate.version, input).catch(versionNotFound(input.id, input.number))).data
}

/** A version of the local history. It has the fields of a published one, without an id. */
type RememberedVersion = Omit<PublishedVersion, 'id' | 'name' | 'definition' | 'binding'> & {
  readonly id: null
  readonly name: unknown
  readonly definition: unknown
  readonly binding: unknown
}

async function remembered(context: Context, id: string, number: number): Promise<RememberedVersion> {
  const { entry, at, before } = await historyEntryAt(context, id, number)
  await context.notes.note(
    'This deployment does not list versions. This is the version from the local history, with secrets masked.',
  )
  return {
    number: entry,
    id: null,
    published_at: at,
    live: false,
    restored_from: null,
    name: before?.name,
    definition: before?.definition,
    binding: before?.binding ?? null,
  }
}

/**
 * A listed version: one of the platform, its draft, or one in the local history. Scripts read it as JSON: fields and
 * words are added, not renamed.
 */
type Listed = Omit<AutomationVersion, 'number' | 'id' | 'published_at'> & {
  /** Number for --number, --from and --to; null for a draft. */
  readonly number: number | null
  readonly id: string | null
  readonly published_at: string | null
  readonly state: 'live' | 'published' | 'draft' | 'history'
}

/** Describes the changes of a version in one line: `+ step_3, - step_1, ~ step_2 (settings.input.url)`. */
function changes({ changes: counts, state }: Listed): string {
  if (!counts) return state === 'draft' || state === 'history' ? '' : 'first version'
  const all = [
    ...counts.added.map((step) => `+ ${step}`),
    ...counts.removed.map((step) => `- ${step}`),
    ...counts.moved.map((step) => `~ ${step} (moved)`),
    ...counts.changed.map(({ step, fields }) => `~ ${step} (${fields.join(', ')})`),
  ]
  return all.length > 0 ? all.join(', ') : 'nothing'
}

const stateText = ({ state, restored_from: from }: Listed): string =>
  [
    state === 'published' ? '' : state === 'history' ? 'in the local history' : state,
    typeof from === 'number' ? `restored from ${from}` : '',
  ]
    .filter(Boolean)
    .join(', ')

const listView: View<Listed> = {
  id: (it) => it.id ?? it.number ?? '',
  columns: [
    { key: 'number', title: 'Number', priority: 1, kind: 'number' },
    { key: 'published_at', title: 'Published', priority: 1, kind: 'time' },
    { key: stateText, field: 'state', title: 'State', priority: 2 },
    { key: changes, field: 'changes', title: 'Changed', priority: 1, flexible: true },
    { key: 'runs', title: 'Runs', priority: 2, kind: 'number' },
    { key: 'failures', title: 'Failures', priority: 2, kind: 'number' },
  ],
  empty: 'No published versions.',
}

export const list = command({
  endpoint: automate.versions,
  summary: 'List published versions of an automation',
  argument,
  filledFields: ['limit'],
  isList: true,
  examples: ['Greeting', 'Greeting --limit 50 --json'],
  notes: `Lists the newest ${defaultVersions} versions, or with --limit at most ${maxVersions}, with the changes, the live runs and the failed live runs of each. For a deployment that does not list versions, the list comes from the local history. Its numbers are those of "parley history list", and "parley automate restore --to" accepts them.`,
  view: listView,
  async run(context, { argument }) {
    const id = await automationId(context, argument)
    const limit = context.globals.all ? maxVersions : parseCount(context.globals.limit, '--limit')
    if (limit !== undefined && limit > maxVersions)
      throw usageError(`Invalid --limit "${limit}". The maximum is ${maxVersions}.`)
    const input = { id, ...(limit !== undefined && { limit }) }
    if (await previewRequest(context, automate.versions, input)) return
    await context.out.list(
      (await context.supports('versions'))
        ? await listPublished(context, id, input)
        : await listRemembered(context, id, limit),
      { view: listView },
    )
  },
})

async function listPublished(
  context: Context,
  id: string,
  input: { readonly id: string; readonly limit?: number },
): Promise<Listed[]> {
  const { versions } = await context.call(automate.versions, input)
  const listed = versions.map((it): Listed => ({ ...it, state: it.live ? 'live' : 'published' }))
  return (await hasDraft(context, id))
    ? [
        { number: null, id: null, published_at: null, live: false, restored_from: null, changes: null, state: 'draft' },
        ...listed,
      ]
    : listed
}

/** Returns whether a draft differs from the live version, for example one that failed its test. */
async function hasDraft(context: Context, id: string): Promise<boolean> {
  const [{ data: live }, { data: draft }] = await Promise.all([
    context.call(automate.get, { id }),
    context.call(automate.get, { id, draft: true }),
  ])
  return (await fingerprintDefinition(live.definition)) !== (await fingerprintDefinition(draft.definition))
}

async function listRemembered(context: Context, id: string, limit = defaultVersions): Promise<Listed[]> {
  await context.notes.note(
    'This deployment does not list versions. These are from the local history: the live version before each change made by this CLI.',
  )
  const copies = (await historyEntriesOf(context, id)).slice(0, limit)
  return copies.map(({ entry, at }) => ({
    number: entry,
    id: null,
    published_at: at,
    live: false,
    restored_from: null,
    changes: null,
    state: 'history',
  }))
}
